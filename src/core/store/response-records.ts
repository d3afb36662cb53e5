/**
 * Keeps what programs get back by the ID of a response (`/v1/responses`): what was asked and what was answered, as JSON whose form the
 * interface knows. A record goes with its conversation, and one without a conversation after `longestResponseMs`, or
 * earlier where the store is full.
 */
export interface ResponseRecords {
  /** Keeps a record in place of the one that has its ID. Rejects where that one is another owner's. */
  put(record: ResponseRecord): Promise<void>;
  /** Does the same where there is still one with its ID, and returns false where another process has removed that. */
  replace(record: ResponseRecord): Promise<boolean>;
  get(id: string): Promise<ResponseRecord | undefined>;
  /** Is true while there is one with this ID. It reads no body. */
  has(id: string): Promise<boolean>;
  /** Returns false where there is none with this ID. */
  remove(id: string): Promise<boolean>;
  /** Is true while a conversation has a record. */
  hasAny(conversationId: string): Promise<boolean>;
}

export interface ResponseRecord {
  id: string;
  /** Is the conversation of the run that answers, and is absent for one that is kept in none. */
  conversationId?: string | undefined;
  /** Is JSON. */
  body: string;
}

/** Is how long a record is kept that stands in no conversation, in milliseconds: 30 days, as with OpenAI. */
export const longestResponseMs = 30 * 24 * 3_600_000;
