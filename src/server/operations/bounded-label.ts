import { sanitizeLine } from "../../kit/text/sanitize.ts";

const longest = 100;

/**
 * Names for labels, of which there are never more than `most`: each one is a time series of its own in whatever gathers
 * them, and names come from servers. What comes later is `other`.
 */
export function createBoundedLabel(most: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    const label = sanitizeLine(name).slice(0, longest);
    if (known.has(label)) return label;
    if (known.size >= most) return "other";
    known.add(label);
    return label;
  };
}
