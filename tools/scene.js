"use strict";
// What is wrong with a figure, in words: see scene.py.

const EDGE = 1.5; // points that a mark may reach over an edge
const words = (text) => [text ?? ""].flat().join(" ");
const short = (text) => (text.length > 48 ? `${text.slice(0, 45)}...` : text);

async function faults(spec, least) {
  document.body.replaceChildren(Object.assign(document.createElement("div"), { id: "drawing" }));
  const vegaSpec = /\/vega\//.test(spec.$schema) ? spec : vegaLite.compile(spec, { logger: vega.logger(vega.Error) }).spec;
  const view = new vega.View(vega.parse(vegaSpec, null, { ast: true }), {
    renderer: "svg", container: "#drawing", expr: vega.expressionInterpreter,
  });
  await view.runAsync();
  const svg = document.querySelector("#drawing svg");
  const marks = [...everyMark(view.scenegraph().root)];
  const own = spec.usermeta?.scales === "own";
  const found = [
    ...onEachOther(svg), ...outside(svg, marks), ...faint(svg, least), ...(own ? [] : unlike(marks)), ...legends(marks),
  ];
  view.finalize();
  return [...new Set(found)];
}

// Every mark of the scene graph, with the groups that it stands in.
function* everyMark(mark, groups = []) {
  yield { mark, groups };
  if (mark.marktype !== "group") return;
  for (const group of mark.items) {
    for (const inner of group.items ?? []) yield* everyMark(inner, [...groups, group]);
  }
}

const role = (groups) => groups.map((group) => group.mark.role).find((each) => /^(axis|legend|title)/.test(each));

function shown(element) {
  for (let each = element; each && each.tagName !== "svg"; each = each.parentElement) {
    const style = getComputedStyle(each);
    if (style.display === "none" || style.visibility === "hidden" || Number(style.opacity) < 0.05) return false;
  }
  return true;
}

// The four corners of what is drawn; letters fill the middle of their line.
function corners(element, shrink) {
  const box = element.getBBox(), to = element.getScreenCTM();
  const up = shrink * box.height, aside = shrink ? 0.5 : 0;
  const [left, right, top, bottom] = [box.x + aside, box.x + box.width - aside, box.y + up, box.y + box.height - up];
  return [[left, top], [right, top], [right, bottom], [left, bottom]].map(([x, y]) => {
    const at = new DOMPoint(x, y).matrixTransform(to);
    return [at.x, at.y];
  });
}

// Whether two quadrangles overlap: there is no line between them.
function overlap(a, b) {
  for (const corners of [a, b]) {
    for (let i = 0; i < 2; i++) {
      const across = [corners[i + 1][1] - corners[i][1], corners[i][0] - corners[i + 1][0]];
      const along = (each) => each.map(([x, y]) => x * across[0] + y * across[1]);
      const [one, other] = [along(a), along(b)];
      if (Math.max(...one) <= Math.min(...other) || Math.max(...other) <= Math.min(...one)) return false;
    }
  }
  return true;
}

const texts = (svg) => [...svg.querySelectorAll("text")].filter((each) => each.textContent.trim() && shown(each));

function* onEachOther(svg) {
  const boxes = texts(svg).map((each) => ({ text: each.textContent, at: corners(each, 0.16) }));
  for (const symbol of svg.querySelectorAll(".role-legend-symbol path")) {
    if (shown(symbol)) boxes.push({ text: "", at: corners(symbol, 0) });
  }
  const left = (box) => Math.min(...box.at.map(([x]) => x)), right = (box) => Math.max(...box.at.map(([x]) => x));
  boxes.sort((a, b) => left(a) - left(b));
  for (const [i, a] of boxes.entries()) {
    for (const b of boxes.slice(i + 1)) {
      if (left(b) >= right(a)) break;
      if (a.text === b.text || !overlap(a.at, b.at)) continue; // a halo is the same text once more
      yield `on each other: ${[a, b].map((each) => short(each.text) || "a symbol of a legend").join(" | ")}`;
    }
  }
}

function* outside(svg, marks) {
  const frame = svg.getBoundingClientRect();
  for (const each of texts(svg)) {
    const at = corners(each, 0.16);
    const [xs, ys] = [at.map(([x]) => x), at.map(([, y]) => y)];
    if (Math.min(...xs) < frame.left || Math.max(...xs) > frame.right || Math.min(...ys) < frame.top || Math.max(...ys) > frame.bottom) {
      yield `outside the figure: ${short(each.textContent)}`;
    }
    if (each.textContent.endsWith("…")) yield `cut off: ${short(each.textContent)}`;
  }
  for (const { mark, groups } of marks) {
    const panel = groups.at(-1);
    if (!panel || mark.marktype === "group" || mark.marktype === "text" || role(groups) || mark.clip || panel.clip) continue;
    if (!(panel.width > 0 && panel.height > 0) || panel.mark.role === "frame" && groups.length === 1 && panel.items.some((each) => each.role === "scope")) continue;
    for (const item of mark.items) {
      if (item.opacity === 0 || !item.bounds || (item.fill === "transparent" && !item.stroke)) continue;
      const { x1, x2, y1, y2 } = item.bounds;
      const points = ["symbol", "line", "trail"].includes(mark.marktype); // they are where their middle is
      const [left, right] = points ? [item.x, item.x] : [x1, x2], [top, bottom] = points ? [item.y, item.y] : [y1, y2];
      const thick = EDGE + (item.strokeWidth ?? 0);
      if (left < -thick || right > panel.width + thick || top < -thick || bottom > panel.height + thick) {
        yield `outside its panel of ${Math.round(panel.width)} x ${Math.round(panel.height)}: a ${mark.marktype} from ` +
          `${Math.round(left)}, ${Math.round(top)} to ${Math.round(right)}, ${Math.round(bottom)}`;
        break;
      }
    }
  }
}

const numbers = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
function light(rgb) {
  const [r, g, b] = rgb.map((each) => (each / 255 <= 0.03928 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const blended = (above, below, part) => above.map((each, i) => part * each + (1 - part) * below[i]);

function opacity(element, of) {
  let part = Number(getComputedStyle(element)[of]);
  for (let each = element; each && each.tagName !== "svg"; each = each.parentElement) part *= Number(getComputedStyle(each).opacity);
  return part;
}

function* faint(svg, least) {
  const style = Object.assign(document.createElement("style"), { textContent: "#drawing svg * { pointer-events: all }" });
  document.head.append(style);
  document.body.style.width = `${svg.getBoundingClientRect().width}px`;
  const halo = (text) => getComputedStyle(text).stroke !== "none" && parseFloat(getComputedStyle(text).strokeWidth) >= 2;
  for (const each of texts(svg).filter((text) => !halo(text))) {
    const box = each.getBoundingClientRect();
    window.scrollTo(Math.max(0, window.scrollX + box.left - 200), Math.max(0, window.scrollY + box.top - 200));
    const now = each.getBoundingClientRect();
    const below = document.elementsFromPoint(now.left + now.width / 2, now.top + now.height / 2).reverse();
    let ground = [255, 255, 255];
    for (const other of below) {
      const around = other.tagName === "text" && halo(other);
      if (other === each || !(around || other.tagName === "path")) continue;
      const fill = getComputedStyle(other)[around ? "stroke" : "fill"];
      if (fill === "none") continue;
      const [r, g, b, a = 1] = numbers(fill);
      ground = blended([r, g, b], ground, a * opacity(other, "fillOpacity"));
    }
    const [r, g, b, a = 1] = numbers(getComputedStyle(each).fill);
    const ink = blended([r, g, b], ground, a * opacity(each, "fillOpacity"));
    const [high, low] = [light(ink), light(ground)].sort((x, y) => y - x);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < least) yield `too faint, ${contrast.toFixed(1)} : 1: ${short(each.textContent)}`;
  }
  style.remove();
  window.scrollTo(0, 0);
}

// Axes with one title are there to be compared.
function* unlike(marks) {
  const domains = {};
  for (const { mark, groups } of marks) {
    if (mark.role !== "axis") continue;
    for (const axis of mark.items) {
      const title = axis.items.find((each) => each.role === "axis-title")?.items[0];
      const scale = groups.at(-1).context?.scales[axis.datum.scale]?.value;
      if (!title || !scale || scale.bandwidth) continue;
      const named = `${axis.orient}: ${words(title.text)}`;
      (domains[named] ??= new Set()).add(JSON.stringify(scale.domain().map((each) => Number(Number(each).toPrecision(6)))));
    }
  }
  for (const [named, ends] of Object.entries(domains)) {
    if (ends.size > 1) yield `panels end at different values, ${named}: ${[...ends].slice(0, 4).join(" ")}`;
  }
}

const stroke = (item) => `${item.stroke} ${(item.strokeDash ?? []).length && item.strokeDash[1] ? item.strokeDash : ""}`;

function* legends(marks) {
  const drawn = new Set(), colours = new Set();
  for (const { mark, groups } of marks) {
    if (["line", "rule", "trail", "symbol", "path", "area"].includes(mark.marktype) && !role(groups)) {
      for (const item of mark.items) drawn.add(stroke(item)), colours.add(item.stroke);
    }
  }
  for (const { mark, groups } of marks) {
    if (mark.role !== "legend-entry" && mark.role !== "legend") continue;
    for (const legend of mark.role === "legend" ? mark.items : []) {
      const symbols = [...everyMark({ marktype: "group", items: [legend] })].filter((each) => each.mark.role === "legend-symbol");
      const looks = new Set();
      for (const item of symbols.flatMap((each) => each.mark.items)) {
        const look = [item.shape, item.fill, stroke(item), item.size, item.strokeWidth].join(" ");
        if (looks.has(look)) yield `a legend has two entries that look like ${look}`;
        looks.add(look);
        const dashed = item.strokeDash?.[1];
        if (dashed && item.shape !== "stroke") yield `a symbol of a legend is chewed by dashes: ${item.shape}`;
        if (item.shape === "stroke" && colours.has(item.stroke) && !drawn.has(stroke(item))) yield `a stroke of a legend that no line has: ${stroke(item)}`;
      }
    }
  }
}
