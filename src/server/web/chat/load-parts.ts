import type { MarkdownParts } from "../markdown/inline.ts";
import type { CodePart, MathPart } from "../parts/part-shapes.ts";
import type { Api } from "./api/api.ts";
import { toDataUrl } from "./data-url.ts";

const sliceMs = 8;

/** Creates what loads the parts of the page that few answers need. */
export function createParts(api: Api): MarkdownParts {
  return {
    useCode: createLoader("/page/code.js", isCodePart),
    useMath: createLoader("/page/math.js", isMathPart),
    startSlice() {
      const end = performance.now() + sliceMs;
      return () => performance.now() > end;
    },
    writeLater(write) {
      const timer = setTimeout(write);
      return () => clearTimeout(timer);
    },
    loadImage: async (url) => toDataUrl(await api.image(url)),
  };
}

/** Loads a script. Rejects where it cannot be loaded, or is another one. */
export async function importPart<T>(address: string, isPart: (module: unknown) => module is T): Promise<T> {
  const module: unknown = await import(address);
  if (!isPart(module)) throw new Error(`${address} is not what was expected`);
  return module;
}

/** Loads a script once. What cannot be loaded is tried again when it is needed the next time. */
function createLoader<T>(address: string, isPart: (module: unknown) => module is T): (use: (part: T) => void) => void {
  let part: T | undefined;
  let loading: Promise<T> | undefined;
  const load = async (): Promise<T> => {
    part = await importPart(address, isPart);
    return part;
  };
  return (use) => {
    if (part !== undefined) return use(part);
    loading ??= load();
    loading.then(use, () => {
      // What it would have made better is shown as it is written.
      loading = undefined;
    });
  };
}

function isCodePart(module: unknown): module is CodePart {
  return (
    typeof module === "object" &&
    module !== null &&
    "highlightText" in module &&
    typeof module.highlightText === "function"
  );
}

function isMathPart(module: unknown): module is MathPart {
  return typeof module === "object" && module !== null && "render" in module && typeof module.render === "function";
}
