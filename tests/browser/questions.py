"""What a page is asked in a browser: scripts that return what is wrong with it, or what is on it."""

from __future__ import annotations

__all__ = ["CUT_OFF", "FAINT", "MARKS", "OPEN_ALL", "OVERFLOW", "OVERLAPPING", "SMALLEST"]

OPEN_ALL = "document.querySelectorAll('details').forEach(one => { one.open = true; });"
OVERFLOW = """
const room = document.documentElement.clientWidth, wide = document.documentElement.scrollWidth - room;
const out = [...document.querySelectorAll('body *')].filter(one =>
  one.getBoundingClientRect().right > room + 1 && !one.closest('.scroll') && !one.closest('.spoken'));
return [wide, out.slice(0, 5).map(one => one.tagName + '.' + one.className)];
"""
CUT_OFF = """
const found = [];
for (const svg of document.querySelectorAll('figure svg')) {
  const frame = svg.getBoundingClientRect();
  for (const text of svg.querySelectorAll('text')) {
    const box = text.getBoundingClientRect();
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
      found.push(text.textContent);
  }
}
return found;
"""
OVERLAPPING = """
const found = [];
for (const svg of document.querySelectorAll('figure svg')) {
  const boxes = [...svg.querySelectorAll('text')].map(one => [one.textContent, one.getBoundingClientRect()]);
  boxes.forEach(([first, a], at) => boxes.slice(at + 1).forEach(([second, b]) => {
    if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
      found.push([first, second]);
  }));
}
return found;
"""
SMALLEST = """
return Math.min(...[...document.querySelectorAll('figure svg')].flatMap(svg => {
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return [...svg.querySelectorAll('text')].map(one => parseFloat(getComputedStyle(one).fontSize) * scale);
}));
"""
MARKS = """
return [...document.querySelectorAll('figure svg')].map(svg => [
  svg.getAttribute('aria-labelledby'),
  svg.getBoundingClientRect().width,
  [...svg.querySelectorAll('g > title')].map(title => {
    const shape = title.parentNode.querySelector('path, use');
    const box = shape.getBBox(), style = getComputedStyle(shape);
    return [title.textContent, box.width, box.height, style.fill, style.stroke];
  })]);
"""
FAINT = """
const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
const ground = one => {
  for (; one; one = one.parentElement) {
    const colour = parse(getComputedStyle(one).backgroundColor);
    if (colour.length === 3 || colour[3] > 0) return colour;
  }
  return [255, 255, 255];
};
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
let seen = 0;
while (walk.nextNode()) {
  const one = walk.currentNode.parentElement;
  if (!walk.currentNode.textContent.trim() || ['TITLE', 'title', 'desc'].includes(one.tagName)) continue;
  const style = getComputedStyle(one), ink = parse(one.closest('svg') ? style.fill : style.color);
  const pair = [light(ink), light(ground(one))].sort((a, b) => b - a);
  seen += 1;
  if ((pair[0] + 0.05) / (pair[1] + 0.05) < 4.5) found.push(walk.currentNode.textContent.trim());
}
return [seen, [...new Set(found)]];
"""
