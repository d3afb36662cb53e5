import type { QuestionKind, UserQuestion, UserReply } from "../../core/questions/user-question.ts";

/** Represents a question that a run asks its user, from when it opens until it closes. */
export type OpenQuestion<K extends QuestionKind = QuestionKind> = {
  [P in K]: {
    /** Is unique: the same question asked again has another id. */
    readonly id: string;
    readonly kind: P;
    readonly question: UserQuestion<P>;
    /** Is true while a host is showing the question. */
    readonly isAsked: boolean;
    /**
     * Is true while every host that shows it got it in a result (`input_required`, 2026-07-28). Such a host may never come back,
     * so another one may show it too.
     */
    readonly isInResult: boolean;
    /** Is when the question is given up, in milliseconds since 1970. */
    readonly until: number;
    /** Aborts when it is answered, by whomever, or given up. */
    readonly closed: AbortSignal;
    /** Marks the question as shown by a host. The returned function frees it for others again. */
    show(display: { isInResult: boolean }): () => void;
    /**
     * Closes the question with the reply; with undefined, nobody has replied. False where another reply counts, which may come from
     * another process. Rejects where the store of several processes cannot be asked.
     */
    answer(reply: UserReply<P> | undefined): Promise<boolean>;
    /** Closes the question without an answer. Never rejects. */
    withdraw(): Promise<void>;
  };
}[K];
