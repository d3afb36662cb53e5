import { sanitizeLine } from "../../kit/text/sanitize.ts";

const longest = 100;

/**
 * Limits the names in a label to `most`, because each is a time series of its own and names come from servers. A later name
 * becomes `other`.
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
