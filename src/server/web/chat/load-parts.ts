import type { MarkdownParts } from "../markdown/inline.ts";
import type { CodePart, MathPart } from "../parts/part-shapes.ts";
import type { Api } from "./api/api.ts";
import { toDataUrl } from "./data-url.ts";

/** Limits what is written in one frame, so that it is also laid out in a few milliseconds: how long it takes, and how many blocks. */
const slice = { ms: 5, blocks: 40 };

/** Tabs in the background draw no frames; there the next slice comes after this time, in milliseconds. */
const hiddenMs = 400;

/** Creates what loads the parts of the page that few answers need. */
export function createParts(api: Api): MarkdownParts {
  return {
    useCode: createLoader("/page/code.js", isCodePart),
    useMath: createLoader("/page/math.js", isMathPart),
    startSlice() {
      const end = performance.now() + slice.ms;
      let written = 0;
      return (blocks) => {
        written += blocks;
        return written >= slice.blocks || performance.now() > end;
      };
    },
    writeLater(write) {
      let timer: ReturnType<typeof setTimeout>;
      const writeSoon = (ms: number): void => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          cancelAnimationFrame(frame);
          write();
        }, ms);
      };
      // Behind the frame: what is written now is laid out with the next one.
      const frame = requestAnimationFrame(() => writeSoon(0));
      writeSoon(hiddenMs);
      return () => {
        cancelAnimationFrame(frame);
        clearTimeout(timer);
      };
    },
    loadImage: async (url) => toDataUrl(await api.image(url)),
  };
}

/** Loads a script once. What cannot be loaded is tried again when it is needed the next time. */
function createLoader<T>(address: string, isPart: (module: unknown) => module is T): (use: (part: T) => void) => void {
  let part: T | undefined;
  let loading: Promise<T> | undefined;
  const load = async (): Promise<T> => {
    const module: unknown = await import(address);
    if (!isPart(module)) throw new Error(`${address} is not what was expected`);
    part = module;
    return module;
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
