(() => {
  // Plotly's own button makes one format; beside it stands one for the other, once the pointer or the keyboard is there.
  if (window.leakscopeFigures) return;
  window.leakscopeFigures = true;
  const offer = ({ target }) => {
    const chart = target instanceof Element && target.closest(".js-plotly-plot");
    const png = chart && chart.querySelector('.modebar-btn[data-title^="Download plot"]');
    if (!png) return;
    const svg = png.cloneNode();
    for (const [button, format] of [[png, "PNG"], [svg, "SVG"]]) {
      button.textContent = format;
      button.dataset.title = `Download as ${format}`;
      button.setAttribute("aria-label", button.dataset.title);
    }
    svg.addEventListener("click", () => {
      window.Plotly.downloadImage(chart, { ...chart._context.toImageButtonOptions, format: "svg", scale: 1 });
    });
    png.after(svg);
  };
  for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, offer);
})();
