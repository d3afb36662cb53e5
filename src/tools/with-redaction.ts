import { createFailure, type Tool, type ToolContent, type ToolContext, type ToolResult } from "../core/tools/tool.ts";
import { getMessage } from "../kit/errors.ts";
import { type Redact, type Redactor, redactValue } from "../kit/text/redact.ts";
import { wrapTool } from "./create-tool.ts";

/** Takes known secrets out of all that a tool says: its results, its errors, its progress and its notices. */
export function withRedaction(tool: Tool, redactor: Redactor): Tool {
  if (redactor.isEmpty) return tool;
  const { redact } = redactor;
  return wrapTool(tool, async (args, context) => {
    try {
      return redactResult(await tool.run(args, redactContext(context, redactor)), redactor);
    } catch (thrown) {
      const message = getMessage(thrown);
      if (context.signal.aborted || redact(message) === message) throw thrown;
      return createFailure("tool", redact(message));
    }
  });
}

function redactContext(context: ToolContext, { redact }: Redactor): ToolContext {
  return {
    ...context,
    progress: (message, progress, total) => context.progress(redact(message), progress, total),
    ...(context.reportStep && { reportStep: (line: string) => context.reportStep?.(redact(line)) }),
    notice: (code, { zh, en }, level) => context.notice(code, { zh: redact(zh), en: redact(en) }, level),
  };
}

/** Numbers of usage and decisions stay as they are. */
function redactResult(result: ToolResult, { redact }: Redactor): ToolResult {
  const { text, shown, misfit, content, sources, error } = result;
  return {
    ...result,
    text: redact(text),
    ...(shown !== undefined && { shown: redact(shown) }),
    ...(misfit !== undefined && { misfit: redact(misfit) }),
    ...(content && { content: redactContent(content, redact) }),
    ...(sources && { sources: redactValue(sources, redact) }),
    ...(error && { error: { ...error, message: redact(error.message) } }),
  };
}

function redactContent(content: ToolContent, redact: Redact): ToolContent {
  const cleaned = redactValue(content, redact);
  return cleaned.structured === content.structured ? cleaned : { ...cleaned, isStructuredRedacted: true };
}
