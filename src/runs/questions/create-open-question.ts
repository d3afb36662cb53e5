import type { QuestionKind, UserQuestion, UserReply } from "../../core/questions/user-question.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { OpenQuestion } from "./open-question.ts";
import { createQuestionDisplays } from "./question-displays.ts";

export interface OpenQuestionOptions<K extends QuestionKind> {
  id: string;
  question: UserQuestion<K>;
  /** Is when it is given up, in milliseconds since 1970. */
  until: number;
  /** Aborts when it is closed. */
  closed: AbortSignal;
  /** Takes a reply, undefined where nobody has one. Resolves to false where another one counts; rejects as `OpenQuestion.answer` does. */
  answer(reply: UserReply<K> | undefined): Promise<boolean>;
  /** Is called when the question can be shown again. */
  onChange(): void;
}

/** Returns a question as the interfaces show it. */
export function createOpenQuestion<K extends QuestionKind>(options: OpenQuestionOptions<K>): OpenQuestion {
  const { id, question, until, closed, answer, onChange } = options;
  const displays = createQuestionDisplays(onChange);
  const posed: OpenQuestion<K> = {
    id,
    kind: question.kind,
    question,
    get isAsked() {
      return displays.isAsked;
    },
    get isInResult() {
      return displays.isInResult;
    },
    until,
    closed,
    show: displays.show,
    answer,
    withdraw: async () => void (await ignoreRejection(answer(undefined), "it is closed or given up all the same")),
  };
  // The compiler does not see that one kind of question is one of all kinds.
  return posed as unknown as OpenQuestion;
}
