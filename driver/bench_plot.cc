#include "driver/bench_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "driver/bench_table.h"

namespace taskrace::driver {
namespace {

// In units of the picture, which are pixels at its own size.
constexpr double kBar = 13;          // width of a bar
constexpr double kGap = 12;          // between two programs
constexpr double kAxis = 56;         // left of a panel: its scale
constexpr double kHead = 26;         // above a panel: its title
constexpr double kHeight = 190;      // of a panel's bars
constexpr double kNames = 76;        // below a panel: the programs, slanted
constexpr double kPictureHead = 64;  // above all panels: title and legend
constexpr double kWidest = 1100;
constexpr double kTicks[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000};

struct Series {
  std::string name;
  std::string_view colour;
  bool is_published;
  std::function<std::optional<double>(const BenchResult&)> value;
};

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// Those that have something to show.
std::vector<Series> SeriesOf(const std::vector<BenchResult>& results) {
  std::vector<Series> all = {
      {"taskrace, full detection", "#1f5fa8", false,
       [](const BenchResult& result) { return result.Overhead(Config::kFull); }},
      {"published in the paper", "#b9b9b9", true,
       [](const BenchResult& result) { return result.program.paper.full; }},
      {"ThreadSanitizer, serial", "#f0c987", false,
       [](const BenchResult& result) { return result.Overhead(Config::kTsanSerial); }},
      {"ThreadSanitizer on 1 thread", "#e39a3b", false,
       [](const BenchResult& result) { return result.Overhead(Config::kTsanOne); }},
      {fmt::format("ThreadSanitizer on {} threads", ThreadsOf(Config::kTsanAll)), "#b4522e", false,
       [](const BenchResult& result) { return result.Overhead(Config::kTsanAll); }}};
  std::erase_if(all, [&](const Series& series) {
    return std::ranges::none_of(results,
                                [&](const BenchResult& r) { return series.value(r).has_value(); });
  });
  return all;
}

class Picture {
 public:
  Picture(const Suite& suite, const std::vector<BenchResult>& results)
      : blocks_(BlocksOf(suite, results)), series_(SeriesOf(results)) {
    FindScale(results);
    PlacePanels();
  }

  std::string Draw(const std::string& title, const std::string& subtitle) {
    Add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" "
        "font-size=\"12\" fill=\"#222\">\n",
        width_, height_);
    Add("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    Add("<text x=\"12\" y=\"20\" font-size=\"15\" font-weight=\"bold\">{}</text>\n",
        Escaped(title));
    Add("<text x=\"12\" y=\"37\" font-size=\"11\" fill=\"#666\">{}</text>\n", Escaped(subtitle));
    DrawLegend();
    for (size_t i = 0; i < blocks_.size(); ++i) DrawPanel(blocks_[i], corners_[i]);
    Add("</svg>\n");
    return std::move(text_);
  }

 private:
  struct Point {
    double x, y;
  };

  template <class... Arguments>
  void Add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...);
  }

  double ProgramWidth() const { return kBar * static_cast<double>(series_.size()) + kGap; }
  // Wide enough for its title, too.
  double PanelWidth(const BenchBlock& block) const {
    const double bars = ProgramWidth() * static_cast<double>(block.rows.size() + 1) + kGap;
    return std::max(bars, 7.0 * static_cast<double>(block.group->title.size()));
  }

  // The ticks just outside of all values.
  void FindScale(const std::vector<BenchResult>& results) {
    double least = 1;
    double most = 2;
    for (const BenchResult& result : results) {
      for (const Series& series : series_) {
        if (const auto value = series.value(result); value && *value > 0) {
          least = std::min(least, *value);
          most = std::max(most, *value);
        }
      }
    }
    for (const double tick : kTicks) {
      if (tick <= least) low_ = tick;
    }
    high_ = *std::ranges::find_if(kTicks, [&](double t) { return t >= most; }, std::identity());
  }

  // From left to right as far as they fit, then the next row.
  void PlacePanels() {
    Point corner{kAxis, kPictureHead + kHead};
    width_ = 600;
    double legend = 12;
    for (const Series& series : series_) legend += LegendWidth(series);
    width_ = std::max(width_, legend);
    for (const BenchBlock& block : blocks_) {
      const double panel = PanelWidth(block);
      if (corner.x > kAxis && corner.x + panel > kWidest) {
        corner = {kAxis, corner.y + kHeight + kNames + kHead};
      }
      corners_.push_back(corner);
      corner.x += panel + kAxis;
      width_ = std::max(width_, corner.x - kAxis + 30);
    }
    height_ = corner.y + kHeight + kNames;
  }

  double Y(const Point& corner, double value) const {
    const double share = std::log(value / low_) / std::log(high_ / low_);
    return corner.y + kHeight * (1 - std::clamp(share, 0.0, 1.0));
  }

  static double LegendWidth(const Series& series) {
    return 40 + 6.8 * static_cast<double>(series.name.size());
  }

  void DrawLegend() {
    double x = 12;
    for (const Series& series : series_) {
      Add("<rect x=\"{:.0f}\" y=\"47\" width=\"11\" height=\"11\" fill=\"{}\"/>"
          "<text x=\"{:.0f}\" y=\"57\">{}</text>\n",
          x, series.colour, x + 16, Escaped(series.name));
      x += LegendWidth(series);
    }
  }

  void DrawPanel(const BenchBlock& block, const Point& corner) {
    const double right = corner.x + PanelWidth(block);
    Add("<text x=\"{:.1f}\" y=\"{:.1f}\" font-weight=\"bold\">{}</text>\n", corner.x, corner.y - 9,
        Escaped(block.group->title));
    for (const double tick : kTicks) {
      if (tick < low_ || tick > high_) continue;
      const double y = Y(corner, tick);
      Add("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n",
          corner.x, y, right, y, tick == 1 ? "#555" : "#e3e3e3");
      Add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" font-size=\"11\">{}</text>\n",
          corner.x - 6, y + 4, tick);
    }
    const double middle = corner.y + kHeight / 2;
    Add("<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\" "
        "font-size=\"11\" fill=\"#666\">times slower</text>\n",
        corner.x - 36, middle);
    double left = corner.x + kGap;
    for (const BenchResult* row : block.rows) {
      std::vector<std::optional<double>> values;
      for (const Series& series : series_) values.push_back(series.value(*row));
      DrawBars(row->program.ShortName(), "normal", values, corner, left);
      left += ProgramWidth();
    }
    DrawBars("geomean", "bold", Means(block), corner, left);
  }

  std::vector<std::optional<double>> Means(const BenchBlock& block) const {
    std::vector<std::optional<double>> means;
    for (const Series& series : series_) {
      std::vector<std::optional<double>> values;
      for (const BenchResult* row : block.rows) values.push_back(series.value(*row));
      means.push_back(series.is_published ? block.PublishedMean() : GeometricMean(values));
    }
    return means;
  }

  void DrawBars(const std::string& name, std::string_view weight,
                const std::vector<std::optional<double>>& values, const Point& corner,
                double left) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i] || *values[i] <= 0) continue;
      const double y = Y(corner, *values[i]);
      Add("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\">"
          "<title>{}: {}, {}</title></rect>\n",
          left + kBar * static_cast<double>(i), y, kBar - 1, std::max(1.0, corner.y + kHeight - y),
          series_[i].colour, Escaped(name), Escaped(series_[i].name), RatioText(values[i]));
    }
    Add("<text transform=\"translate({:.1f} {:.1f}) rotate(-40)\" text-anchor=\"end\" "
        "font-weight=\"{}\">{}</text>\n",
        left + (ProgramWidth() - kGap) / 2 + 4, corner.y + kHeight + 14, weight, Escaped(name));
  }

  std::vector<BenchBlock> blocks_;
  std::vector<Series> series_;
  std::vector<Point> corners_;  // of the panels' bars, top left
  double low_ = 1;
  double high_ = 10;
  double width_ = 0;
  double height_ = 0;
  std::string text_;
};

}  // namespace

std::string BenchPlot(const Suite& suite, const std::vector<BenchResult>& results,
                      const BenchRequest& request, const Machine& machine) {
  return Picture(suite, results)
      .Draw("Race detection: time as a multiple of the program without it",
            fmt::format("size {}; engine {}, history {}; {}", request.size, request.engine,
                        request.history, machine.Text()));
}

}  // namespace taskrace::driver
