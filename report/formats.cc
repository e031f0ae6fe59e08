#include "report/formats.h"

#include "report/annotations.h"
#include "report/html.h"
#include "report/json.h"
#include "report/sarif.h"
#include "report/text.h"

namespace taskrace::report {

std::string RenderAs(std::string_view format, const Report& report) {
  if (format == "json") return RenderJson(report);
  if (format == "html") return RenderHtml(report);
  if (format == "sarif") return RenderSarif(report);
  if (format == "github") return RenderGithub(report);
  if (format == "gcc") return RenderGcc(report);
  return RenderText(report, /*color=*/false);
}

}  // namespace taskrace::report
