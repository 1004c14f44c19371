"use strict";
// Figures, each drawn from the data in its place: one after the other, so that the page stays responsive.

const SMALLEST = 0.6; // of its size: smaller letters are not read

const words = (text) => [text ?? "figure"].flat().join(" ");

async function draw(place) {
  const spec = JSON.parse(place.querySelector("script").textContent);
  const description = place.getAttribute("aria-label");
  const { view } = await vegaEmbed(place, spec, {
    renderer: "svg", actions: false, defaultStyle: false, ast: true, expr: vega.expressionInterpreter,
    tooltip: { disableDefaultStyle: true },
  });
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
