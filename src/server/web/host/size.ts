/** Tells the size of what the page shows, now and at each change; until the function that it gives is called. */
export function reportSize(
  window: Window & typeof globalThis,
  tell: (size: { width: number; height: number }) => void,
) {
  const root = window.document.documentElement;
  let told = "";
  const measure = (): void => {
    // The page may be shown higher than it has to be.
    const before = root.style.height;
    root.style.height = "max-content";
    const size = { width: Math.ceil(window.innerWidth), height: Math.ceil(root.getBoundingClientRect().height) };
    root.style.height = before;
    if (told === JSON.stringify(size)) return;
    told = JSON.stringify(size);
    tell(size);
  };
  let frame = 0;
  const observer = new window.ResizeObserver(() => {
    window.cancelAnimationFrame(frame);
    frame = window.requestAnimationFrame(measure);
  });
  observer.observe(root);
  observer.observe(window.document.body);
  return () => observer.disconnect();
}
