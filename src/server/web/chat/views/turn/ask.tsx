import { useEffect, useRef, useState } from "preact/hooks";
import type { UserReply } from "../../../../../core/questions/user-question.ts";
import type { JsonObject } from "../../../../../kit/json.ts";
import { sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import { type PageChoice, type PageDetail, toPageWording } from "../../../../../render/questions/page-wording.ts";
import { toSafeUrl } from "../../../safe-url.ts";
import type { OpenQuestion } from "../../api/question.ts";
import { usePage } from "../page-model.ts";
import { CallReview } from "./call-review.tsx";
import { FormFields } from "./form-fields.tsx";

export interface AskProps {
  readonly turnKey: string;
  readonly question: OpenQuestion;
}

/** Shows a question of the run with all its details and the possible answers. */
export function Ask({ turnKey, question }: AskProps) {
  const { locale, actions } = usePage();
  const box = useRef<HTMLFieldSetElement>(null);
  const [isSending, setSending] = useState(false);
  // What waits for a person is in sight, also where it grows.
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const observer = new ResizeObserver(() => current.scrollIntoView({ block: "nearest" }));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const reply = (said: UserReply): void => {
    setSending(true);
    void actions.reply(turnKey, question, said).then((isTaken) => {
      if (!isTaken) setSending(false);
    });
  };
  const wording = toPageWording(question, locale.value);
  return (
    <fieldset class="ask" disabled={isSending} data-kind={question.kind} aria-label={wording.title} ref={box}>
      <strong class="ask-title" role="alert">
        {wording.title}
      </strong>
      <AskBody question={question} details={wording.details} choices={wording.choices} send={reply} />
    </fieldset>
  );
}

interface BodyProps {
  readonly question: OpenQuestion;
  readonly details: readonly PageDetail[];
  readonly choices: readonly PageChoice<UserReply>[];
  send(reply: UserReply): void;
}

function AskBody({ question, details, choices, send }: BodyProps) {
  const read = useRef<() => JsonObject | undefined>(() => undefined);
  const form = useRef<HTMLButtonElement>(null);
  const [writes, setWrites] = useState(false);
  return (
    <>
      {details.map((detail) => (
        <Detail
          key={detail.kind}
          question={question}
          detail={detail}
          read={read}
          submit={() => form.current?.click()}
        />
      ))}
      <div class="actions">
        {choices.map((choice) => (
          <button
            key={choice.label}
            type="button"
            class={choice.look}
            ref={choice.kind === "form" ? form : undefined}
            aria-expanded={choice.kind === "text" ? writes : undefined}
            onClick={() => {
              if (choice.kind === "reply") send(choice.reply);
              if (choice.kind === "text") setWrites(!writes);
              const content = choice.kind === "form" ? read.current() : undefined;
              if (choice.kind === "form" && content !== undefined) send(choice.toReply(content));
            }}
          >
            {choice.label}
          </button>
        ))}
      </div>
      {choices.map(
        (choice) => choice.kind === "text" && writes && <ChangeField key={choice.kind} choice={choice} send={send} />,
      )}
    </>
  );
}

interface ChangeProps {
  readonly choice: Extract<PageChoice<UserReply>, { kind: "text" }>;
  send(reply: UserReply): void;
}

function ChangeField({ choice, send }: ChangeProps) {
  const words = useRef<HTMLTextAreaElement>(null);
  useEffect(() => words.current?.focus(), []);
  const sendText = (): void => {
    const text = words.current?.value.trim() ?? "";
    if (text === "") words.current?.focus();
    else send(choice.toReply(text));
  };
  return (
    <div class="field">
      <label class="field">
        {choice.field}
        <textarea class="change" rows={2} ref={words} />
      </label>
      <button type="button" onClick={sendText}>
        {choice.send}
      </button>
    </div>
  );
}

interface DetailProps {
  readonly question: OpenQuestion;
  readonly detail: PageDetail;
  readonly read: { current: () => JsonObject | undefined };
  submit(): void;
}

function Detail({ question, detail, read, submit }: DetailProps) {
  switch (detail.kind) {
    case "fields":
      return <FormFields fields={detail.fields} read={read} submit={submit} />;
    case "json":
      return <CallReview question={question} json={detail.text} />;
    case "address": {
      const href = toSafeUrl(detail.url);
      const text = sanitizeLine(detail.url);
      return (
        <p class="address">
          {href === undefined ? (
            text
          ) : (
            <a href={href} target="_blank" rel="noopener noreferrer nofollow">
              {text}
            </a>
          )}
        </p>
      );
    }
    default:
      return (
        <p class={detail.kind} dir={detail.kind === "words" ? "auto" : undefined}>
          {detail.text}
        </p>
      );
  }
}
