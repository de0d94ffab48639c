// Charts as SVG: columns of tokens on a scale from 0 to 1. Those of p and q are made of sliders.
const WIDE = 330, HIGH = 190, LEFT = 26, TOP = 18, BOTTOM = 168;
const SVG = ["svg", "g", "rect", "text", "line", "polyline", "circle", "title", "defs", "pattern"];
function make(tag, attributes = {}, ...children) {
  const element = SVG.includes(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, given] of Object.entries(attributes)) element.setAttribute(name, given);
  element.append(...children);
  return element;
}
const heightOf = x => (BOTTOM - TOP) * Math.min(Math.max(value(x), 0), 1);
const brief = x => text(x).length <= 5 ? text(x) : String(Number(value(x).toPrecision(2))).replace(/^0/, "");
const told = x => x.d === 1n ? text(x) : `${text(x)} = ${decimal(x)}`.replace("=", exactDecimal(x) ? "=" : "≈");
// Whether four digits say all.
const exactDecimal = x => { const shown = parsed(decimal(x)); return Boolean(shown && same(shown, x)); };

function frame(attributes) {
  const svg = make("svg", {viewBox: `0 0 ${WIDE} ${HIGH}`, ...attributes});
  for (const [share, label] of [[0, "0"], [.5, "½"], [1, "1"]]) {
    const y = BOTTOM - share * (BOTTOM - TOP);
    svg.append(make("line", {x1: LEFT, x2: WIDE, y1: y, y2: y, class: share ? "line" : "axis"}),
      make("text", {x: LEFT - 6, y: y + 4, class: "soft left", "aria-hidden": "true"}, label));
  }
  return svg;
}
function column(i, V) {
  const step = (WIDE - LEFT) / V, wide = Math.min(step * .62, 46);
  return {step, wide, middle: LEFT + (i + .5) * step, x: LEFT + (i + .5) * step - wide / 2};
}
const tokenLabel = (i, V, note) => make("text", {x: column(i, V).middle, y: BOTTOM + 15, class: "soft", "aria-hidden": "true"}, `${i}${note || ""}`);

// Where the words over a column begin, clear of the mark.
const clearOf = (mark, top) => mark > top - 4 && mark < top + 18 ? Math.max(top, mark) : top;

// A law one can drag: `move(at, height)` sets a share of 1, `nudge(at, parts)` adds parts of the grid. `kind` is its colour,
// `label` names the chart, `of(i)` a token in it; ids begin with `id`.
function sliders({id, kind, label: whole, of}, V, {start, move, nudge}) {
  const svg = frame({role: "group", "aria-label": whole}), parts = [];
  for (let i = 0; i < V; i++) {
    const {step, wide, x, middle} = column(i, V);
    const bar = make("rect", {x, width: wide, class: kind}), label = make("text", {x: middle}), title = make("title");
    const mark = make("line", {x1: x - 5, x2: x + wide + 5, class: "wanted", visibility: "hidden"}), token = tokenLabel(i, V);
    const group = make("g", {class: "slider", role: "slider", tabindex: "0", id: `${id}-${i}`, "aria-label": of(i),
      "aria-valuemin": "0", "aria-valuemax": "1", "aria-orientation": "vertical"},
    title, make("rect", {x: middle - step / 2 + 1, y: 2, width: step - 2, height: HIGH - 4, rx: 3, class: "hit"}), bar, mark, label, token);
    const height = event => {
      const box = svg.getBoundingClientRect(), y = (event.clientY - box.top) / box.height * HIGH;
      return (BOTTOM - y) / (BOTTOM - TOP);
    };
    group.addEventListener("pointerdown", event => {
      if (event.button) return;
      const to = moved => { if (moved.pointerId === event.pointerId) move(i, height(moved)); };
      const done = ended => {
        if (ended.pointerId !== event.pointerId) return;
        removeEventListener("pointermove", to);
        for (const kind of ["pointerup", "pointercancel"]) removeEventListener(kind, done);
      };
      addEventListener("pointermove", to);
      for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, done);
      group.focus({preventScroll: true});
      event.preventDefault();
      start(i);
      to(event);
    });
    group.addEventListener("keydown", event => {
      const by = {ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 5, PageDown: -5, Home: -Infinity, End: Infinity}[event.key];
      if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      nudge(i, by);
    });
    parts.push({group, bar, label, title, mark, token});
    svg.append(group);
  }
  // `wanted` is a mark on each column, `notes` a sign under it.
  const update = (masses, {wanted, notes = []} = {}) => masses.forEach((x, i) => {
    const {group, bar, label, title, mark, token} = parts[i], high = heightOf(x), limit = wanted ? heightOf(wanted[i]) : 0;
    bar.setAttribute("y", BOTTOM - high); bar.setAttribute("height", high);
    label.setAttribute("y", BOTTOM - clearOf(limit, high) - 5); label.textContent = brief(x);
    for (const end of ["y1", "y2"]) mark.setAttribute(end, BOTTOM - limit);
    mark.setAttribute("visibility", wanted ? "visible" : "hidden");
    token.textContent = `${i}${notes[i] || ""}`;
    title.textContent = `${of(i)}: ${told(x)}`;
    group.setAttribute("aria-valuenow", value(x)); group.setAttribute("aria-valuetext", told(x));
  });
  return {svg, update};
}

let patterns = 0;  // each chart has a pattern of its own, under its own name
function striped() {
  const name = `stripes-${++patterns}`;
  return {fill: `url(#${name})`, defs: make("defs", {}, make("pattern", {id: name, width: 6, height: 6, patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)"}, make("rect", {width: 6, height: 6, fill: "#fff"}), make("line", {x1: 1.5, x2: 1.5, y1: 0, y2: 6, class: "stripe"})))};
}

// Stacked columns: `stacks` is a list of [class, masses, words]; `wanted` a mark on each column, `notes` a sign under it.
function stacked(label, stacks, {wanted, notes = []} = {}) {
  const V = stacks[0][1].length, svg = frame({role: "img", "aria-label": label}), stripes = striped();
  svg.prepend(stripes.defs);
  for (let i = 0; i < V; i++) {
    const {wide, x, middle} = column(i, V), all = sum(stacks.map(([, masses]) => masses[i]));
    let from = ZERO;
    for (const [kind, masses, words] of stacks) {
      const upto = add(from, masses[i]), high = heightOf(upto) - heightOf(from);
      if (masses[i].n) svg.append(make("rect", {x, width: wide, y: BOTTOM - heightOf(upto), height: high, class: kind,
        ...(kind === "replaced" ? {fill: stripes.fill} : {})}, make("title", {}, `token ${i}: ${words} ${told(masses[i])}`)));
      from = upto;
    }
    const mark = wanted ? heightOf(wanted[i]) : 0;
    svg.append(make("text", {x: middle, y: BOTTOM - clearOf(mark, heightOf(all)) - 5}, brief(all)), tokenLabel(i, V, notes[i]));
    if (wanted) svg.append(make("line", {x1: x - 5, x2: x + wide + 5, y1: BOTTOM - mark, y2: BOTTOM - mark, class: "wanted"}));
  }
  return svg;
}

// Curves over 0 to 1: `lines` is a list of [class, points], heights from `low` to `high` with labels at `ticks`; `at` is where
// a dot stands on each line; `band` a list of [class, from, to, words] under the axis.
function plot(label, lines, {low, high, ticks, ends, at = null, band = []}) {
  const svg = make("svg", {viewBox: `0 0 ${WIDE} ${HIGH + 20}`, role: "img", "aria-label": label}), stripes = striped();
  const across = t => LEFT + t * (WIDE - LEFT - 8), up = y => BOTTOM - (Math.min(Math.max(y, low), high) - low) / (high - low) * (BOTTOM - TOP);
  svg.append(stripes.defs);
  for (const [y, word] of ticks) {
    svg.append(make("line", {x1: LEFT, x2: WIDE - 8, y1: up(y), y2: up(y), class: y === low ? "axis" : "line"}),
      make("text", {x: LEFT - 4, y: up(y) + 4, class: "soft left"}, word));
  }
  for (const [kind, points] of lines) {
    const visible = points.filter(([, y]) => y <= high);
    svg.append(make("polyline", {class: `curve ${kind}`, points: visible.map(([t, y]) => `${across(t).toFixed(2)},${up(y).toFixed(2)}`).join(" ")}));
    for (const [t, y] of visible) if (t === at) svg.append(make("circle", {cx: across(t), cy: up(y), r: 4, class: "dot"}));
  }
  for (const [kind, from, to, words] of band) {
    svg.append(make("rect", {x: across(from), width: Math.max(across(to) - across(from), 0), y: BOTTOM + 4, height: 14, class: kind,
      ...(kind === "replaced" ? {fill: stripes.fill} : {})}, make("title", {}, words)));
  }
  const [start, end] = ends, y = HIGH + 12;
  svg.append(make("text", {x: LEFT, y, class: "soft first"}, start), make("text", {x: WIDE - 8, y, class: "soft left"}, end));
  return svg;
}
