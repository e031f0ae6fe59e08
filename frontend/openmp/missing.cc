// What clang can call and this runtime does not have yet: programs link, and end with the name.

#include "frontend/openmp/team.h"

using namespace taskrace::openmp;

#define MISSING(name)                                                                           \
  OPENMP_ENTRY void name() {                                                                    \
    Runtime().Fail("the program calls " #name ", which this version of taskrace does not have", \
                   OPENMP_CALLER);                                                              \
  }

MISSING(__kmpc_task_reduction_modifier_init)
MISSING(__kmpc_task_reduction_init)
MISSING(__kmpc_threadprivate_register_vec)
MISSING(__kmpc_dist_dispatch_init_4)
MISSING(__kmpc_dist_dispatch_init_4u)
MISSING(__kmpc_dist_dispatch_init_8)
MISSING(__kmpc_dist_dispatch_init_8u)
MISSING(__kmpc_dist_for_static_init_4)
MISSING(__kmpc_dist_for_static_init_4u)
MISSING(__kmpc_dist_for_static_init_8)
MISSING(__kmpc_dist_for_static_init_8u)
MISSING(__kmpc_team_static_init_4)
MISSING(__kmpc_team_static_init_4u)
MISSING(__kmpc_team_static_init_8)
MISSING(__kmpc_team_static_init_8u)
MISSING(__kmpc_next_section)
MISSING(__kmpc_sections_init)
MISSING(__kmpc_end_sections)
MISSING(__kmpc_scope)
MISSING(__kmpc_end_scope)
MISSING(__kmpc_barrier_master)
MISSING(__kmpc_barrier_master_nowait)
MISSING(__kmpc_end_barrier_master)
MISSING(__kmpc_init_lock)
MISSING(__kmpc_set_lock)
MISSING(__kmpc_unset_lock)
MISSING(__kmpc_test_lock)
MISSING(__kmpc_destroy_lock)
MISSING(__tgt_interop_init)
MISSING(__tgt_interop_use)
MISSING(__tgt_interop_destroy)
MISSING(omp_target_memcpy_rect)
MISSING(omp_target_memcpy_async)
MISSING(omp_target_associate_ptr)
MISSING(omp_target_disassociate_ptr)
MISSING(omp_get_mapped_ptr)
MISSING(omp_control_tool)
MISSING(omp_get_num_interop_properties)
