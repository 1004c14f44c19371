"use strict";
// Figures, each drawn from the data in its place: one after the other, so that the page stays responsive.

const SMALLEST = 0.6; // of its size: smaller letters are not read
const TELEPHONE = 0.8; // of its size, where panels are set below each other
const LEAST = 0.25; // of their width that panels keep
const TRIES = 5;
const LETTER = 6; // how wide a letter is, on average
const SEVERAL = ["layer", "concat", "hconcat", "vconcat"]; // under these names a view has other views

const words = (text) => [text ?? "figure"].flat().join(" ");

async function draw(place) {
  const spec = JSON.parse(place.querySelector("script").textContent);
  const description = place.getAttribute("aria-label");
  const view = await fitted(place, spec);
  // What is read aloud is the drawing, as one.
  const drawing = place.querySelector("svg.marks");
  const [width, height] = [drawing.width.baseVal.value, drawing.height.baseVal.value];
  drawing.style.minWidth = SMALLEST * width + "px";
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", description);
  for (const part of drawing.children) part.setAttribute("aria-hidden", "true");
  place.removeAttribute("role");
  place.removeAttribute("aria-label");
  // By these Vega finds what is pointed at where a drawing is shown smaller than it is.
  Object.defineProperties(drawing, { offsetWidth: { value: width }, offsetHeight: { value: height } });
  offer(place.closest("figure").querySelector("figcaption"), view, words(spec.title?.text ?? spec.title));
}

async function embedded(place, spec) {
  const { view } = await vegaEmbed(place, spec, {
    renderer: "svg", actions: false, defaultStyle: false, ast: true, expr: vega.expressionInterpreter,
    tooltip: { disableDefaultStyle: true },
  });
  return view;
}

// Draw it as it is, or, where its letters would be too small to be read, with panels below each other, as wide as the
// room: they shrink by trial, since how wide a figure will be is known once it is drawn.
async function fitted(place, spec) {
  let view = await embedded(place, spec);
  const width = () => place.querySelector("svg.marks").width.baseVal.value;
  const room = place.parentElement.clientWidth;
  if (!room || width() * SMALLEST <= room || !/vega-lite/.test(spec.$schema)) return view;
  const wanted = room / TELEPHONE, below = stacked(spec, wanted);
  for (let part = 1, i = 0; i < TRIES; i++) {
    view.finalize();
    view = await embedded(place, shrunk(below, part));
    if (width() <= wanted || part === LEAST) break;
    part = Math.max(LEAST, part * (1 - 1.15 * (width() - wanted) / width()));
  }
  return view;
}

// Set panels below each other, legends below all, and titles in lines that are no longer than the room.
function stacked(spec, wanted) {
  // Sentences stay apart; where each was broken for a wider room is forgotten.
  const lines = (text, size) => [text ?? []].flat().join("\n").split(/(?<=\.)\n/).flatMap((line) => wrapped(line, wanted / size));
  const legend = { ...spec.config?.legend, orient: "bottom", columns: 1, labelLimit: wanted - 60, gradientDirection: "horizontal" };
  const axis = { ...spec.config?.axis, labelOverlap: true };
  const inner = (view, named = false) => { // in columns of one width, each of which has a name
    const found = { ...view };
    if (found.hconcat) [found.vconcat, found.hconcat] = [found.hconcat, undefined];
    if (found.concat) found.columns = 1;
    if (found.facet?.column) [found.facet, found.columns] = [found.facet.column, 1];
    if (found.title) {
      const { text, subtitle, ...looks } = typeof found.title === "object" && !Array.isArray(found.title) ? found.title : { text: found.title };
      found.title = { ...looks, text: lines(text, LETTER * 1.4), ...(subtitle && { subtitle: lines(subtitle, LETTER) }) };
    }
    if (found.encoding) {
      found.encoding = Object.fromEntries(Object.entries(found.encoding).map(([name, channel]) => {
        if (!channel?.legend) return [name, channel];
        const { orient, columns, offset, ...looks } = channel.legend;
        return [name, { ...channel, legend: looks }];
      }));
    }
    const columns = named || Boolean(found.width?.step);
    const x = found.encoding?.x;
    if (columns && x && x.axis !== null) found.encoding.x = { ...x, axis: { ...x.axis, labelOverlap: false } };
    for (const name of SEVERAL) if (found[name]) found[name] = found[name].map((each) => inner(each, columns));
    if (found.spec) found.spec = inner(found.spec, columns);
    return JSON.parse(JSON.stringify(found));
  };
  return { ...inner(spec), config: { ...spec.config, legend, axis } };
}

function wrapped(text, most) {
  const found = [""];
  for (const word of text.split(/\s/)) {
    if (found.at(-1) && found.at(-1).length + word.length >= most) found.push("");
    found.push([found.pop(), word].filter(Boolean).join(" "));
  }
  return found;
}

// Give panels a part of their width; what holds words in lines keeps it, and so do columns, of which each has a name.
function shrunk(view, part) {
  if ([view.view?.style ?? []].flat().includes("as_large")) return view;
  const found = { ...view };
  if (typeof found.width === "number") found.width *= part;
  if (found.mark?.limit) found.mark = { ...found.mark, limit: found.mark.limit * part }; // names beside a panel
  for (const name of ["x", "x2"]) {
    const value = found.encoding?.[name]?.value;
    if (typeof value === "number") found.encoding = { ...found.encoding, [name]: { value: value * part } };
  }
  for (const name of SEVERAL) if (found[name]) found[name] = found[name].map((each) => shrunk(each, part));
  if (found.spec) found.spec = shrunk(found.spec, part);
  return found;
}

// A figure can be taken away as a picture.
function offer(caption, view, title) {
  const offered = document.createElement("p");
  for (const kind of ["svg", "png"]) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "download" });
    button.textContent = kind.toUpperCase();
    button.setAttribute("aria-label", `Save this figure as ${kind.toUpperCase()}`);
    button.addEventListener("click", async () => {
      const link = document.createElement("a");
      link.href = await view.toImageURL(kind, 2);
      link.download = `${title.slice(0, 80)}.${kind}`;
      link.click();
    });
    offered.append(button);
  }
  caption.append(offered);
}

async function drawAll() {
  for (const place of document.querySelectorAll(".drawing")) {
    await draw(place).catch((error) => { place.textContent = `This figure could not be drawn: ${error.message}`; });
  }
  document.documentElement.dataset.drawn = "yes";
}

drawAll();
