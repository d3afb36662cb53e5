import type { ToolContext } from "../../src/core/tools/tool.ts";
import { type Locale, say } from "../../src/kit/locale.ts";

export interface TestContext extends ToolContext {
  notices: { code: string; message: string }[];
  progressed: string[];
}

/** A context that remembers what the tool reported. */
export function testContext(options: { locale?: Locale; signal?: AbortSignal } = {}): TestContext {
  const notices: TestContext["notices"] = [];
  const progressed: string[] = [];
  return {
    signal: options.signal ?? new AbortController().signal,
    locale: options.locale ?? "en",
    notices,
    progressed,
    progress: (message) => progressed.push(message),
    notice: (code, message) => notices.push({ code, message: say(options.locale ?? "en", message) }),
  };
}
