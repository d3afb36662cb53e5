import { createHash } from "node:crypto";

/** Maps tool names to names that the vendor accepts, and back. */
export interface ToolNames {
  /** Is true when at least one name had to be changed. */
  changed: boolean;
  toVendor(name: string): string;
  /** Returns a name that was never sent to the vendor unchanged. */
  fromVendor(name: string): string;
}

const allowed = /^[a-zA-Z0-9_-]{1,64}$/;

/** Names that every vendor takes stay; others are made to fit, each differently, the same each time. */
export function createToolNames(names: readonly string[]): ToolNames {
  const there = new Map<string, string>();
  const back = new Map<string, string>();
  for (const name of names) {
    if (allowed.test(name)) continue;
    const made = fitting(name, names);
    there.set(name, made);
    back.set(made, name);
  }
  return {
    changed: there.size > 0,
    toVendor: (name) => there.get(name) ?? name,
    fromVendor: (name) => back.get(name) ?? name,
  };
}

function fitting(name: string, taken: readonly string[]): string {
  const readable = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 55);
  for (let salt = 0; ; salt++) {
    const digest = createHash("sha256")
      .update(`${salt || ""}${name}`)
      .digest("hex")
      .slice(0, 8);
    const made = `${readable}_${digest}`;
    if (!taken.includes(made)) return made;
  }
}
