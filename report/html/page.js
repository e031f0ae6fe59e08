// The page of a report: a list of races that unfold, and a page about the run.
//
// Everything in `report` may come from the program: it reaches the page only through textContent and attributes that
// hold no code. The body of a race is made when it is unfolded, and the list in parts, so that large reports stay quick.
"use strict";

const report = JSON.parse(document.getElementById("data").textContent);
const kPart = 100;  // races that are added to the list at a time
const kShownLinks = 6;  // of a chain of creations, at its two ends
const byId = (id) => document.getElementById(id);

// An element with attributes and children; strings become text.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function counted(number, what) {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

function directoryOf(file) {
  const end = file.lastIndexOf("/");
  return end < 0 ? "." : file.slice(0, end);
}

// --- One race, unfolded.

// The operator or name that begins at the column, which counts characters from 1.
function marked(text, column) {
  if (!column) return [text];
  const characters = Array.from(text);
  const before = characters.slice(0, column - 1).join("");
  const rest = characters.slice(column - 1).join("");
  const token = (rest.match(/^(?:[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_()[\]{};,"']+|.)/u) || [""])[0];
  return [before, make("mark", {}, token), rest.slice(token.length)];
}

function excerpt(access) {
  const lines = report.sources[access.file];
  if (!lines || lines[access.line] === undefined) return null;
  const box = make("div", { class: "excerpt mono", tabindex: "0", role: "region", "aria-label": access.place });
  for (let line = access.line - 3; line <= access.line + 3; ++line) {
    if (lines[line] === undefined) continue;
    const here = line === access.line;
    const text = lines[line].replace(/\t/g, " ");
    box.append(make("div", { class: here ? "here" : "" }, make("span", { class: "number" }, String(line)),
                    ...(here ? marked(text, access.column) : [text])));
  }
  return box;
}

function stackList(index) {
  const list = make("ol", { class: "stack", start: "0" });
  for (const [name, place, library] of report.stacks[index]) {
    list.append(make("li", { class: library ? "library" : "" }, make("code", {}, name), " ",
                     make("span", { class: "place quiet" }, place)));
  }
  return list;
}

function folded(title, ...children) {
  return make("details", {}, make("summary", {}, title), ...children);
}

function stackFold(title, index) {
  const frames = index === null || index === undefined ? 0 : report.stacks[index].length;
  return frames === 0 ? null : folded(`${title}, ${counted(frames, "frame")}`, stackList(index));
}

function chainLink(link) {
  const place = make("span", { class: "place" }, link.place);
  if (link.stack === null) return make("li", {}, link.text.replace(/ at$/, ""));
  return make("li", {}, folded(make("span", {}, link.text + " ", place), stackList(link.stack)));
}

// Of a long chain, the middle unfolds.
function chainList(chain, end) {
  const list = make("ul", { class: "chain" });
  const long = chain.length > kShownLinks + 1;
  const first = long ? kShownLinks / 2 : chain.length;
  const last = long ? chain.length - kShownLinks / 2 : chain.length;
  for (const link of chain.slice(0, first)) list.append(chainLink(link));
  if (long) {
    const middle = make("ul", { class: "chain" });
    const fold = folded(counted(last - first, "more task"), middle);
    fold.addEventListener("toggle", () => {
      if (!middle.firstChild) middle.append(...chain.slice(first, last).map(chainLink));
    });
    list.append(make("li", {}, fold));
  }
  for (const link of chain.slice(last)) list.append(chainLink(link));
  list.append(make("li", { class: "quiet" }, end));
  return list;
}

function side(access, name) {
  const section = make("section", { class: name });
  section.append(make("h3", {}, `${access.which}: ${access.text}`));
  section.append(make("p", { class: "place" }, access.place));
  const code = excerpt(access);
  if (code) section.append(code);
  for (const lock of access.locks) section.append(make("p", {}, `holding lock ${lock}`));
  const stack = stackFold("Stack", access.stack);
  if (stack) section.append(stack);
  if (access.chain.length > 0) section.append(chainList(access.chain, access.end));
  return section;
}

// --- The picture: fork, both paths, the two accesses, the join.

// What a path shows below the fork: creations from the outermost one, the middle of a long path as one box.
function pathOf(access, below) {
  const links = access.chain.slice(0, below).reverse()
    .map((link) => ({ title: link.text.replace(/ at$/, ""), place: link.place }));
  const hidden = links.length - kShownLinks;
  if (hidden > 1) {
    links.splice(kShownLinks / 2, hidden, { title: `… ${counted(hidden, "more task")}`, place: "" });
  }
  links.push({ title: access.text, place: access.place, access: true });
  return links;
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function box(node, x, y, width, name) {
  const most = Math.floor((width - 16) / 6.6);
  const cut = (text) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  return svg("g", { class: name }, svg("title", {}, `${node.title} ${node.place}`),
             svg("rect", { x, y, width, height: 40, rx: 4 }),
             svg("text", { x: x + 8, y: y + 16 }, cut(node.title)),
             svg("text", { x: x + 8, y: y + 32, class: "quiet" },
                 node.place.length > most ? "…" + node.place.slice(1 - most) : node.place));
}

function picture(race, width) {
  if (!race.fork) return null;
  const gap = 16, step = 64;
  const column = Math.floor((width - gap) / 2);
  const paths = race.accesses.map((access, i) => pathOf(access, race.fork.below[i]));
  const rows = Math.max(paths[0].length, paths[1].length);
  const wide = Math.min(width, 420);
  const middle = width / 2;
  const bottom = 24 + step * (rows + 1);
  const height = race.joined ? bottom + 44 : bottom - 20;
  const image = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" },
                    svg("title", {}, race.why || "where the two accesses part"));
  const line = (x1, y1, x2, y2) => {
    const half = (y1 + y2) / 2;
    image.append(svg("path", { d: `M${x1} ${y1} C${x1} ${half} ${x2} ${half} ${x2} ${y2}` }));
  };
  const fork = { title: race.fork.text, place: race.fork.place };
  paths.forEach((path, i) => {
    const x = i === 0 ? 0 : column + gap;
    const center = x + column / 2;
    let above = [middle, 44];
    path.forEach((node, row) => {
      const y = 4 + step * (row + 1);
      line(above[0], above[1], center, y);
      above = [center, y + 40];
      image.append(box(node, x, y, column, node.access ? (i === 0 ? "one" : "other") : ""));
    });
    if (race.joined) line(above[0], above[1], middle, bottom);
  });
  image.append(box(fork, middle - wide / 2, 4, wide, "fork"));
  if (race.joined) image.append(box({ title: race.joined.text, place: race.joined.place }, middle - wide / 2, bottom, wide, "join"));
  return make("div", { class: "picture" }, image);
}

function fillBody(body, race) {
  if (race.why) body.append(make("p", { class: "why" }, race.why));
  if (race.advice) {
    body.append(make("p", { class: "advice" }, race.advice));
  }
  body.append(make("div", { class: "sides" }, side(race.accesses[0], "one"), side(race.accesses[1], "other")));
  const drawn = picture(race, Math.max(280, Math.min(body.clientWidth - 24, 760)));
  if (drawn) body.append(make("h3", {}, "Where they part"), drawn);
  body.append(make("h3", {}, "Memory"), make("p", {}, race.where));
  if (race.also.length > 0) body.append(make("p", {}, `The same two lines race on ${race.also.join(", ")} too.`));
  const allocated = stackFold("Allocated or made", race.allocated);
  if (allocated) body.append(allocated);
  if (report.runs.length > 1) {
    const names = make("ul");
    for (const run of race.runs) names.append(make("li", {}, report.runs[run].name));
    body.append(folded(`Seen ${counted(race.count, "time")} in ${race.runs.length} of ${counted(report.runs.length, "run")}`,
                       names));
  }
  if (race.rule) body.append(make("p", { class: "quiet" }, "To suppress it: ", make("code", {}, race.rule)));
}

function setOpen(article, open) {
  const button = article.firstElementChild;
  const race = report.races[Number(article.dataset.race)];
  button.setAttribute("aria-expanded", String(open));
  let body = button.nextElementSibling;
  if (open && !body) {
    body = make("div", { class: "body" });
    article.append(body);
    fillBody(body, race);
  }
  if (body) body.hidden = !open;
}

function makeArticle(index) {
  const race = report.races[index];
  const button = make("button", { type: "button", "aria-expanded": "false" },
                      make("span", { class: "headline" }, race.headline),
                      make("span", { class: "places place" }, race.accesses.map((access) => access.place).join(" — ")),
                      race.known ? make("span", { class: "badge" }, "known") : null,
                      make("span", { class: "count quiet" }, counted(race.count, "time")));
  const article = make("article", { id: `race-${index + 1}`, "data-race": index }, button);
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    setOpen(article, open);
    if (open) history.replaceState(null, "", `#race-${index + 1}`);
  });
  return article;
}

// --- The list.

let shown = [];  // indices of the races that pass the filters, in order
let listed = 0;  // how many of them are in the page

function addPart() {
  const part = document.createDocumentFragment();
  for (const index of shown.slice(listed, listed + kPart)) part.append(makeArticle(index));
  listed = Math.min(listed + kPart, shown.length);
  byId("list").append(part);
  byId("more").hidden = listed === shown.length;
  byId("more").textContent = `Show more (${counted(shown.length - listed, "race")} left)`;
}

// What the search looks at, made once.
function haystackOf(race) {
  if (race.haystack === undefined) {
    const words = [race.headline, race.where, race.why || "", ...race.also];
    for (const access of race.accesses) {
      const lines = report.sources[access.file] || {};
      words.push(access.place, access.text, lines[access.line] || "");
      words.push(...report.stacks[access.stack].flatMap((frame) => [frame[0], frame[1]]));
      words.push(...access.chain.map((link) => link.place));
    }
    race.haystack = words.join("\n").toLowerCase();
  }
  return race.haystack;
}

function passes(race, filters) {
  const files = race.accesses.map((access) => access.file);
  return (filters.kind === "" || race.kind === filters.kind) &&
         (filters.file === "" || files.includes(filters.file)) &&
         (filters.directory === "" || files.some((file) => directoryOf(file) === filters.directory)) &&
         filters.words.every((word) => haystackOf(race).includes(word));
}

function applyFilters() {
  const filters = {
    kind: byId("kind").value, file: byId("file").value, directory: byId("directory").value,
    words: byId("search").value.toLowerCase().split(/\s+/).filter((word) => word !== ""),
  };
  shown = [...report.races.keys()].filter((index) => passes(report.races[index], filters));
  const place = (index) => report.races[index].accesses[1];
  if (byId("sort").value === "count") {
    shown.sort((a, b) => report.races[b].count - report.races[a].count || a - b);
  } else if (byId("sort").value === "place") {
    shown.sort((a, b) => (place(a).file < place(b).file ? -1 : place(a).file > place(b).file ? 1
                          : place(a).line - place(b).line || a - b));
  }
  byId("list").replaceChildren();
  listed = 0;
  byId("shown").textContent = shown.length === report.races.length
    ? counted(shown.length, "race") : `${shown.length} of ${counted(report.races.length, "race")}`;
  addPart();
}

function fillSelect(id, values, all) {
  const select = byId(id);
  select.append(make("option", { value: "" }, all));
  for (const value of [...new Set(values)].sort()) select.append(make("option", { value }, value));
  select.addEventListener("change", applyFilters);
}

// --- The page about the run.

function counters(stats) {
  const names = Object.keys(stats);
  const most = Math.max(1, ...names.map((name) => stats[name]));
  const table = make("table");
  for (const name of names) {
    // Counters differ by orders of magnitude: the length of a bar is a logarithm.
    const length = stats[name] > 0 ? 100 * Math.log1p(stats[name]) / Math.log1p(most) : 0;
    table.append(make("tr", {}, make("td", {}, name.replace(/_/g, " ")),
                      make("td", { class: "value" }, stats[name].toLocaleString("en")),
                      make("td", { style: "width: 40%" },
                           make("span", { class: "bar", style: `width: ${length.toFixed(1)}%` }))));
  }
  return table;
}

function runSection(run) {
  const rows = [["Program", run.program], ["Process", String(run.pid)],
                ["Exit code", run.exit_code === null ? "none: it was killed" : String(run.exit_code)],
                ["Engine", run.engine + (run.why ? `, because ${run.why}` : "")], ["History", run.history],
                ["Execution", run.exec]];
  const table = make("table");
  for (const [name, value] of rows) table.append(make("tr", {}, make("th", {}, name), make("td", {}, value)));
  return [make("p", {}, run.summary), ...run.notes.map((note) => make("p", { class: "message" }, note)), table,
          Object.keys(run.stats).length > 0 ? make("h3", {}, "Counters") : null, counters(run.stats)];
}

function fillRunPage() {
  const page = byId("run-page");
  if (page.childElementCount > 0) return;
  if (report.deadlock.length > 0) {
    page.append(make("h2", {}, "Deadlock"));
    for (const wait of report.deadlock) {
      page.append(make("p", {}, wait.text), wait.stack === null ? "" : stackList(wait.stack), chainList(wait.chain, wait.end));
    }
  }
  if (report.messages.length > 0) page.append(make("h2", {}, "Errors and warnings"));
  for (const message of report.messages) {
    page.append(make("div", { class: `message ${message.severity === "error" ? "error" : ""}` },
                     make("p", {}, `${message.severity}: ${message.text}`),
                     ...message.stacks.map((labelled) => folded(labelled.label, stackList(labelled.stack)))));
  }
  if (report.rules.length > 0) {
    const table = make("table", {}, make("tr", {}, ...["Rule", "Line", "Races", "Occurrences", "Frames"]
      .map((name) => make("th", {}, name))));
    for (const rule of report.rules) table.append(make("tr", {}, ...rule.map((cell) => make("td", {}, String(cell)))));
    page.append(make("h2", {}, "Suppressions"), table);
  }
  if (report.runs.length === 1) {
    page.append(make("h2", {}, "The run"), ...runSection(report.runs[0]).filter((part) => part !== null));
    return;
  }
  page.append(make("h2", {}, counted(report.runs.length, "run")));
  for (const run of report.runs) {
    const fold = folded(`${run.name}: ${run.summary}`);
    fold.addEventListener("toggle", () => {
      if (fold.childElementCount === 1) fold.append(...runSection(run).filter((part) => part !== null));
    });
    page.append(fold);
  }
}

// --- Pages, links and keys.

function showPage() {
  const hash = location.hash.slice(1);
  const run = hash === "run";
  byId("run-page").hidden = !run;
  byId("races-page").hidden = run;
  for (const [id, current] of [["to-run", run], ["to-races", !run]]) {
    if (current) byId(id).setAttribute("aria-current", "page"); else byId(id).removeAttribute("aria-current");
  }
  if (run) fillRunPage();
  const wanted = /^race-(\d+)$/.exec(hash);
  if (!wanted || !report.races[wanted[1] - 1]) return;
  const at = shown.indexOf(wanted[1] - 1);
  while (at >= listed) addPart();
  const article = byId(hash);
  if (article) {
    setOpen(article, true);
    article.scrollIntoView();
    article.firstElementChild.focus();
  }
}

function moveFocus(by) {
  const buttons = [...document.querySelectorAll("article > button")];
  const at = buttons.indexOf(document.activeElement);
  const next = buttons[at < 0 ? 0 : at + by];
  if (next) next.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("races-page").hidden) return;
  if (event.target.matches("input, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "j") moveFocus(1);
  else if (event.key === "k") moveFocus(-1);
  else if (event.key === "/") byId("search").focus();
  else return;
  event.preventDefault();
});

byId("summary").textContent = report.summary;
document.title = `Taskrace: ${report.summary}`;
fillSelect("kind", report.races.map((race) => race.kind), "all kinds");
fillSelect("file", report.races.flatMap((race) => race.accesses.map((access) => access.file)).filter(Boolean), "all files");
fillSelect("directory", report.races.flatMap((race) => race.accesses.map((access) => access.file)).filter(Boolean)
  .map(directoryOf), "all directories");
byId("search").addEventListener("input", applyFilters);
byId("sort").addEventListener("change", applyFilters);
byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("more").addEventListener("click", addPart);
window.addEventListener("hashchange", showPage);
if (report.races.length === 0 && location.hash === "") location.hash = "run";
applyFilters();
showPage();
