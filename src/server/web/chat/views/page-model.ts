import type { ReadonlySignal, Signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type Locale, say, type Text } from "../../../../kit/locale.ts";
import type { OwnUsageFigures } from "../api/account.ts";
import type { AttachedFile } from "../api/api.ts";
import type { OperatorApi } from "../api/operator.ts";
import type { PageParts } from "../load-parts.ts";
import type { ChatState, TalkTree, Unsent } from "../state/chat-state.ts";
import type { ChatActions } from "./chat-actions.ts";

/** Names the colours of the page; `auto` follows the system. */
export type Theme = "auto" | "light" | "dark";

/** Holds what all parts of the page share. What only one part shows is that part's own state. */
export interface PageModel {
  /** Is the newest state that has been drawn; it follows the store at most once for each frame. */
  readonly chat: Signal<ChatState>;
  /** Is true while a run of the shown conversation goes on. A part that reads it is not drawn again with each word of an answer. */
  readonly isGoing: ReadonlySignal<boolean>;
  /** Holds the tree of the shown conversation, likewise. */
  readonly tree: ReadonlySignal<TalkTree>;
  /** Holds what was sent and not taken, likewise. */
  readonly unsent: ReadonlySignal<readonly Unsent[]>;
  readonly locale: Signal<Locale>;
  /** Holds the text that has not been sent yet. */
  readonly draft: Signal<string>;
  /** Is true while the list of conversations lies over the talk, on narrow screens. */
  readonly drawer: Signal<boolean>;
  /** Is true while the list of conversations is out of sight, on wide screens. */
  readonly isFolded: Signal<boolean>;
  readonly theme: Signal<Theme>;
  /** Is true while the list of keys lies over the page. */
  readonly help: Signal<boolean>;
  /** Is true while the operator's view lies over the page. */
  readonly isOperating: Signal<boolean>;
  readonly operator: OperatorApi;
  /** Loads the script of the operator's view. Rejects where it cannot be loaded. */
  loadOperator(): Promise<OperatorPart>;
  /** Is true while the person's own limits lie over the page. */
  readonly isShowingUsage: Signal<boolean>;
  /** Reads the person's own limits. */
  readUsage(): Promise<OwnUsageFigures>;
  /** Holds the files that will come with the question. */
  readonly files: Signal<readonly AttachedFile[]>;
  /** Names the files that were chosen last and could not be read. */
  readonly unreadable: Signal<readonly string[]>;
  readonly settings: Signal<boolean>;
  readonly tokenAsked: Signal<"no" | "first" | "again">;
  /** Says why the server did not take the last token; empty where it did, or has not said why. */
  readonly tokenProblem: Signal<string>;
  /** Is true while the page asks with a token that somebody has given. */
  readonly hasToken: Signal<boolean>;
  /** Is true once the server has said whose the tab is: a sign-out is told to the other tabs of its owner. */
  readonly isOwnerKnown: Signal<boolean>;
  /**
   * Says in the language of the page what went wrong. A script that is loaded later has classes of its own, by which it would not know
   * the errors of this one.
   */
  describeError(thrown: unknown): string;
  readonly actions: ChatActions;
  readonly parts: PageParts;
  /** Holds the field for the question, as soon as it is on the page. */
  readonly message: { current: HTMLTextAreaElement | null };
  /** Takes the token that was given, or asks for another one. */
  setToken(token: string): Promise<void>;
  /** Forgets the token, in all tabs of its owner. */
  signOut(): void;
  /** Runs before the browser goes to the provider that signs people in. */
  prepareSignIn(): void;
}

/** Shows the operator's view. It is loaded when somebody first opens it. */
export interface OperatorPart {
  /** Shows it in the place, until the returned function is called. */
  mount(place: Element, page: PageModel): () => void;
}

export const PageContext = createContext<PageModel | undefined>(undefined);

export function usePage(): PageModel {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("a part of the page is used outside of it");
  return page;
}

/** Returns what says a text in the language of the page. The part that uses it is drawn again when the language changes. */
export function useSay(): (text: Text) => string {
  const { locale } = usePage();
  const now = locale.value;
  return (text) => say(now, text);
}
