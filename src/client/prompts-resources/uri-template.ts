/**
 * Whether a URI may come from an RFC 6570 template: its fixed parts, in their order. That is enough to find the server, which
 * judges for itself, and takes no longer for a template that was made to be slow.
 */
export function isTemplateMatch(uri: string, template: string): boolean {
  const [first = "", ...rest] = template.split(/\{[^{}]*\}/);
  const last = rest.pop();
  if (last === undefined) return uri === template;
  if (!uri.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = uri.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return uri.length - last.length >= at && uri.endsWith(last);
}

/** How narrow a template is: the characters that it fixes. */
export function countFixedCharacters(template: string): number {
  return template.replace(/\{[^{}]*\}/g, "").length;
}
