// Counts controls and measures sizes of a page as it stands in the window, for less.py: one expression.
() => {
  const STRICT = "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=slider], " +
    "[role=radio], [role=checkbox], [role=switch], [role=tab], [role=combobox], [contenteditable=true]";
  const ALL = `${STRICT}, [tabindex]:not([tabindex^="-"])`;
  const APART = '.stSidebar, .stAppHeader, .spcviz-tools, .st-key-tour_slot, .course, [data-spcviz-word], ' +
    '[data-testid="stHeaderActionElements"], [data-testid="stElementToolbar"], .modebar';
  const WIDGETS = '[data-testid="stButtonGroup"], [data-testid="stNumberInput"], [data-testid="stSelectbox"], [data-testid="stSlider"], ' +
    '[data-testid="stCheckbox"], [data-testid="stColumn"]:has([data-testid="stMetric"]), [class*="st-key-tour_card"]';
  const ROLES = 'table, [role=radiogroup], [role=group], [role=toolbar], [role=tablist], fieldset';
  const up = (one) => one.parentElement ?? (one.getRootNode() instanceof ShadowRoot ? one.getRootNode().host : null);
  const above = (one, wanted) => { for (let at = up(one); at; at = up(at)) if (at.matches(wanted)) return at; return null; };
  const every = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? every(one.shadowRoot) : [])]);
  const share = (one) => { // of it that stands in the window and in all boxes that scroll
    const rect = one.getBoundingClientRect(), box = { l: rect.left, t: rect.top, r: rect.right, b: rect.bottom };
    const clip = (l, t, r, b) => Object.assign(box, { l: Math.max(box.l, l), t: Math.max(box.t, t), r: Math.min(box.r, r), b: Math.min(box.b, b) });
    clip(0, 0, innerWidth, innerHeight);
    for (let at = up(one); at; at = up(at)) {
      const style = getComputedStyle(at), of = at.getBoundingClientRect();
      if (style.position === "fixed") break;
      if (style.overflow !== "visible" && style.display !== "contents") clip(of.left, of.top, of.right, of.bottom);
    }
    return rect.width * rect.height ? Math.max(0, box.r - box.l) * Math.max(0, box.b - box.t) / (rect.width * rect.height) : 0;
  };
  const boxOf = (one) => one.matches("input") && one.closest('label, [data-testid="stSlider"]') || one; // a toggle's own box has no size
  const isThere = (one) => boxOf(one).checkVisibility({ visibilityProperty: true }) && share(boxOf(one)) > 0.3;
  const isAlone = (one) => one.matches(STRICT) ? !above(one, STRICT)
    : !above(one, STRICT) && !every(one).some((inner) => inner.matches(ALL) && inner.checkVisibility()) && !one.shadowRoot; // a box that scrolls is not what is in it
  const controls = every(document.querySelector('.stMain') ?? document.body)
    .filter((one) => one.matches(ALL) && !one.matches(APART) && !above(one, APART) && isAlone(one) && isThere(one));
  const nameOf = (one) => (one.getAttribute("aria-label") || one.innerText || one.closest("label")?.innerText || one.getAttribute("title") || one.tagName).trim().slice(0, 40);
  const main = document.querySelector(".stMain");
  return {
    operable: controls.length,
    groups: new Set(controls.map((one) => above(one, WIDGETS) ?? above(one, ROLES) ?? one)).size,
    height: Math.max(main?.scrollHeight ?? 0, document.documentElement.scrollHeight),
    width: Math.max(main?.scrollWidth ?? 0, document.documentElement.scrollWidth),
    names: controls.map(nameOf),
  };
}
