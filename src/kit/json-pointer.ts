/**
 * Returns what a reference within a JSON document (`#`, `#/$defs/place`) refers to. Returns undefined for one to elsewhere, to
 * an anchor, or to nothing.
 */
export function resolvePointer(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) return undefined;
  let node = root;
  for (const step of reference.split("/").slice(1)) {
    const key = decodeStep(step);
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
    node = Object.getOwnPropertyDescriptor(node, key)?.value;
  }
  return node;
}

function decodeStep(step: string): string {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
