const margin = 8; // pixels to the edges of the window
const gap = 6; // to the element
const least = 220; // height that takes the place of the element rather than less

/** Places a popover below an element or, where there is more room, above it, in what is visible of the window. */
export function placeBeside(popover, element) {
  const box = element.getBoundingClientRect();
  const { offsetTop: top, height } = visualViewport;
  const bottom = top + height;
  const style = popover.style;
  style.maxHeight = "";
  const { offsetWidth, offsetHeight } = popover;
  const rooms = { above: box.top - top - gap - margin, below: bottom - box.bottom - gap - margin };
  const below = offsetHeight <= rooms.below || rooms.below >= rooms.above;
  const room = Math.max(below ? rooms.below : rooms.above, Math.min(least, height - 2 * margin));
  const used = Math.min(offsetHeight, room);
  const wanted = below ? box.bottom + gap : box.top - gap - used;
  style.maxHeight = used + "px";
  style.top = Math.max(top + margin, Math.min(wanted, bottom - used - margin)) + "px";
  style.left = Math.max(margin, Math.min(box.left, document.documentElement.clientWidth - offsetWidth - margin)) + "px";
}
