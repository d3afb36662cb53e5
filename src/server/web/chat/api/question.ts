import { isRecord, toText } from "../../../../kit/json.ts";
import { isQuestionKind, type PageQuestion } from "../../../../render/questions/page-wording.ts";

/** Represents a question of a run that waits for the person at the page. */
export interface OpenQuestion extends PageQuestion {
  readonly id: string;
}

/** Reads an untrusted question. Returns undefined when the value is not one. */
export function readQuestion(value: unknown): OpenQuestion | undefined {
  if (!isRecord(value)) return undefined;
  const id = toText(value.question_id);
  const kind = toText(value.kind);
  const { schema } = value;
  if (id === "" || !isQuestionKind(kind) || (kind === "form" && !isRecord(schema))) return undefined;
  return {
    id,
    kind,
    tool: toText(value.tool),
    arguments: value.arguments,
    rule: toText(value.rule),
    reason: toText(value.reason),
    onlyOnce: value.only_once === true,
    from: toText(value.from),
    message: toText(value.message),
    schema: isRecord(schema) ? schema : {},
    url: toText(value.url),
  };
}
