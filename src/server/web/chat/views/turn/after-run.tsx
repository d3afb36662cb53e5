import { toGoOnQuestion } from "../../../../../core/run/go-on.ts";
import type { Outcome } from "../../../../../core/run/outcome.ts";
import { isHelpedByChat } from "../../../../../render/chat-advice.ts";
import type { Turn } from "../../state/chat-state.ts";
import { chatTexts } from "../../state/chat-texts.ts";
import { usePage, useSay } from "../page-model.ts";

/** Offers to ask the same question again after a run that failed, was stopped or gave half an answer. */
export function AfterRun({ turn }: { readonly turn: Turn }) {
  const { locale, actions } = usePage();
  const say = useSay();
  const { question, outcome, plain } = turn.run;
  const status = outcome?.status ?? plain?.status;
  const canRetry =
    (outcome === undefined && plain?.isFailed === true) || (status !== undefined && unfinished.has(status));
  // It is advised, and never switched by itself (docs/development/model-invocation.md#agent-模式错误降级).
  const isAdvised = outcome?.status === "failed" && isHelpedByChat(outcome.meta.mode, outcome.error?.code);
  const hasLimit = outcome?.limit !== undefined;
  if (!canRetry && !hasLimit) return null;
  return (
    <p class="advice">
      {isAdvised && <span>{say(chatTexts.chatAdvice)}</span>}
      {canRetry && (
        <button type="button" onClick={() => actions.retry(turn)}>
          {say(chatTexts.tryAgain)}
        </button>
      )}
      {isAdvised && (
        <button type="button" onClick={() => actions.retry(turn, "chat")}>
          {say(chatTexts.tryInChat)}
        </button>
      )}
      {hasLimit && (
        <button type="button" class="go-on" onClick={() => actions.goOn(toGoOnQuestion(question, locale.value))}>
          {say(chatTexts.goOn)}
        </button>
      )}
    </p>
  );
}

const unfinished: ReadonlySet<Outcome["status"]> = new Set(["failed", "cancelled", "partial"]);
