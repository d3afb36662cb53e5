import type { MarkdownParts } from "../markdown/inline.ts";
import type { CodePart, MathPart, PlotPart, ReviewPart } from "../parts/part-shapes.ts";
import type { Api } from "./api/api.ts";
import { toDataUrl } from "./data-url.ts";
import { addLineCopy } from "./line-copy.ts";
import type { LoadResult } from "./long-result.ts";

/** Limits what is written in one frame, so that it is also laid out in a few milliseconds: how long it takes, and how many blocks. */
const slice = { ms: 5, blocks: 40 };

/** Tabs in the background draw no frames; there the next slice comes after this time, in milliseconds. */
const hiddenMs = 400;

/** Holds what the page loads when it is first needed. */
export interface PageParts extends MarkdownParts {
  usePlot(use: (part: PlotPart) => void): void;
  /** Loads a part of the result of a call. */
  readonly loadResult: LoadResult;
  useReview(use: (part: ReviewPart) => void): void;
}

/** Creates what loads the parts of the page that are seldom needed. */
export function createParts(api: Api): PageParts {
  return {
    useCode: createLoader("/page/code.js", isCodePart),
    addLineCopy,
    useMath: createLoader("/page/math.js", isMathPart),
    loadResult: api.result,
    usePlot: createLoader("/page/plot.js", isPlotPart),
    useReview: createLoader("/page/review.js", isReviewPart),
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
  return hasFunction(module, "highlightText");
}

function isMathPart(module: unknown): module is MathPart {
  return hasFunction(module, "render");
}

function isPlotPart(module: unknown): module is PlotPart {
  return hasFunction(module, "drawBars");
}

function isReviewPart(module: unknown): module is ReviewPart {
  return hasFunction(module, "reviewCall");
}

function hasFunction(module: unknown, name: string): boolean {
  return typeof module === "object" && module !== null && typeof Reflect.get(module, name) === "function";
}
