/** Returns a function that runs draw once before the next frame, however often it is called. */
export function perFrame(draw) {
  let requested = false;
  return () => {
    if (requested) return;
    requested = true;
    requestAnimationFrame(() => {
      requested = false;
      draw();
    });
  };
}

/** Returns a function that runs action once it has not been called for delay milliseconds. */
export function debounce(action, delay) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, delay);
  };
}
