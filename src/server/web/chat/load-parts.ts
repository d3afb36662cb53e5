import type { MarkdownParts } from "../markdown/inline.ts";
import type { CodePart, MathPart, PlotPart, ReviewPart } from "../parts/part-shapes.ts";
import type { Api } from "./api/api.ts";
import { toDataUrl } from "./data-url.ts";
import type { LoadResult } from "./long-result.ts";

const sliceMs = 8;

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
    useMath: createLoader("/page/math.js", isMathPart),
    loadResult: api.result,
    usePlot: createLoader("/page/plot.js", isPlotPart),
    useReview: createLoader("/page/review.js", isReviewPart),
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
