import type { AnswerForm } from "../../core/answer-form.ts";
import type { Message } from "../../core/model/messages.ts";
import { type Turn, toModelName } from "../../core/model/model.ts";
import { DuetError } from "../../kit/errors.ts";
import type { JsonObject } from "../../kit/json.ts";
import { say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { fence } from "../context/fence.ts";
import { emptyAnswerError, unexpectedToolCallError } from "../loop/run-result.ts";
import { runTurn, type TurnPlan } from "../loop/turn/run-turn.ts";
import type { Run } from "../run.ts";

/** Limits a problem that is told to the reader, in characters; the model gets all of them in full. */
const longestReason = 300;

/** Asks for a form beside the question: vendors take the format only where a message says "JSON". */
export const formNote: Text = {
  zh: "请只用一个 JSON 对象回答，对象之外不要有任何文字。不要写 [1] 这样的来源编号，也不要列出来源。",
  en: "Answer with one JSON object and nothing around it. Write no source numbers such as [1] in it, and no list of sources.",
};

/**
 * Has a model write the answer in its form. What does not fit is returned to the model once, with what is wrong. Nothing is shown
 * before it fits. Throws `invalid_output` when the corrected answer does not fit either, and what the model throws.
 */
export async function writeStructuredAnswer(run: Run, plan: StructuredTurn, form: AnswerForm): Promise<JsonObject> {
  const first = await askForAnswer(run, plan, form);
  if ("output" in first) return first.output;
  const { locale, language, marker } = run.input;
  const reason = toReason(first.problems);
  run.services.emit({
    type: "notice",
    level: "warning",
    code: "output-corrected",
    message: say(locale, {
      zh: `回答不符合要求的格式（${reason.zh}），已请 ${toModelName(plan.model)} 修正。`,
      en: `The answer did not fit its schema (${reason.en}); ${toModelName(plan.model)} was asked to correct it.`,
    }),
  });
  // What was written may hold words of a tool's.
  const problems = first.problems.map((problem) => `- ${say(language, problem)}`).join("\n");
  const correction: Message[] = [
    { role: "assistant", content: first.text.trim() || "…", toolCalls: [] },
    { role: "user", content: `${say(language, correctIt)}\n${fence(problems, marker)}\n\n${say(language, formNote)}` },
  ];
  const request = { ...plan.request, messages: [...plan.request.messages, ...correction] };
  const second = await askForAnswer(run, { ...plan, request, reason: say(locale, correcting) }, form);
  if ("output" in second) return second.output;
  throw invalidOutputError(toModelName(plan.model), toReason(second.problems));
}

export type StructuredTurn = Omit<TurnPlan, "onText" | "onEnd">;

type WrittenAnswer = { output: JsonObject } | { problems: readonly Text[]; text: string };

async function askForAnswer(run: Run, plan: StructuredTurn, form: AnswerForm): Promise<WrittenAnswer> {
  let written: WrittenAnswer | undefined;
  const turn = await runTurn(run, {
    ...plan,
    request: { ...plan.request, responseFormat: form.format },
    onText() {},
    onEnd(ended) {
      written = readAnswer(ended, form);
      if ("output" in written) {
        run.state.answer.push(JSON.stringify(written.output));
        run.state.answer.finish();
        // Whoever looks for the fault sees what the model wrote.
      } else run.services.emit({ type: "thought-delta", text: written.text });
    },
  });
  return written ?? readAnswer(turn, form);
}

/** Throws for a turn that holds no whole answer. */
function readAnswer(turn: Turn, form: AnswerForm): WrittenAnswer {
  const {
    finish,
    message: { content, toolCalls },
  } = turn;
  if (finish === "length") throw cutOffError();
  if (finish === "refused" || finish === "content-filter") throw emptyAnswerError(turn);
  if (finish === "tool-calls" && toolCalls.length > 0) throw unexpectedToolCallError();
  const read = form.read(content);
  return "output" in read ? read : { ...read, text: content };
}

function toReason(problems: readonly Text[]): Text {
  const [first = { zh: "", en: "" }, ...others] = problems;
  const more = others.length;
  return {
    zh: toShortLine(first.zh, longestReason) + (more > 0 ? `，另有 ${more} 处` : ""),
    en: toShortLine(first.en, longestReason) + (more > 0 ? `, and ${more} more` : ""),
  };
}

const correctIt: Text = {
  zh: "上面的回答不符合要求。请写出修正后的完整回答。问题如下：",
  en: "The answer above does not fit. Write the whole answer again, corrected. What is wrong:",
};

const correcting: Text = { zh: "请模型修正回答的格式", en: "asking the model to correct the form of its answer" };

function invalidOutputError(name: string, reason: Text): DuetError {
  return new DuetError({
    code: "invalid_output",
    text: {
      zh: `${name} 的回答在修正一次之后仍不符合要求的格式：${reason.zh}`,
      en: `The answer of ${name} does not fit its schema, also after one correction: ${reason.en}`,
    },
    hint: {
      zh: "请放宽或简化模式，或换用其他回答模型。",
      en: "Loosen or simplify the schema, or use another answer model.",
    },
  });
}

function cutOffError(): DuetError {
  return new DuetError({
    code: "invalid_output",
    text: {
      zh: "JSON 回答在写完之前就达到了输出上限。",
      en: "The JSON answer reached the output limit before it was complete.",
    },
    hint: { zh: "请增大 max_tokens。", en: "Raise max_tokens." },
  });
}
