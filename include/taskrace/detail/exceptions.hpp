// try and catch that also compile with -fno-exceptions, where nothing is ever caught.
#ifndef TASKRACE_DETAIL_EXCEPTIONS_HPP
#define TASKRACE_DETAIL_EXCEPTIONS_HPP

#ifdef __cpp_exceptions
#define TASKRACE_DETAIL_TRY try
#define TASKRACE_DETAIL_CATCH catch (...)
#define TASKRACE_DETAIL_RETHROW throw
#else
#define TASKRACE_DETAIL_TRY if constexpr (true)
#define TASKRACE_DETAIL_CATCH else
#define TASKRACE_DETAIL_RETHROW ((void)0)
#endif

#endif
