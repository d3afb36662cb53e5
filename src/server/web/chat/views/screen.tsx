import { batch, computed, effect, signal } from "@preact/signals";
import { render } from "preact";
import type { Locale } from "../../../../kit/locale.ts";
import type { OwnUsageFigures } from "../api/account.ts";
import type { AttachedFile } from "../api/api.ts";
import type { OperatorApi } from "../api/operator.ts";
import type { PageParts } from "../load-parts.ts";
import { describeError } from "../report-errors.ts";
import { type ChatState, findActiveTurn } from "../state/chat-state.ts";
import type { Draft, Drafts, KeptDraft } from "../storage/drafts.ts";
import type { LookKeeper } from "../storage/look.ts";
import type { TokenResult } from "../storage/sign-in-gate.ts";
import { App, isNarrow } from "./app.tsx";
import type { ChatActions } from "./chat-actions.ts";
import { type OperatorPart, PageContext, type PageModel } from "./page-model.ts";

/** Shows the whole page. */
export interface Screen {
  locale: Locale;
  /** Holds the text that has not been sent yet. */
  draft: string;
  /** Holds the files that will come with it. */
  files: readonly AttachedFile[];
  show(chat: ChatState): void;
  /** Opens the drafts that the tab keeps of its owner, who can sign out from now on. */
  openDrafts(owner: string): void;
  /** Takes the drafts that were kept. */
  restoreDrafts(kept: readonly KeptDraft[]): void;
  /** Puts the focus where one writes. */
  focus(): void;
  /** Closes what is open above the talk; false where nothing is. */
  close(): boolean;
  askToken(isWrong: boolean): void;
  /** Says beside the field for a token why the last one was not taken. */
  explainToken(problem: string): void;
  /** Does what a key of the page stands for; false where it stands for nothing. */
  handleKey(event: KeyboardEvent): boolean;
}

export interface ScreenOptions {
  readonly document: Document;
  readonly locale: Locale;
  readonly first: ChatState;
  readonly actions: ChatActions;
  readonly operator: OperatorApi;
  loadOperator(): Promise<OperatorPart>;
  readUsage(): Promise<OwnUsageFigures>;
  readonly parts: PageParts;
  readonly drafts: Drafts;
  readonly look: LookKeeper;
  readonly hasToken: boolean;
  onToken(token: string): Promise<TokenResult>;
  onSignOut(): void;
  /** Runs before the browser goes to the provider that signs people in. */
  onSignIn(): void;
}

export function createScreen(options: ScreenOptions): Screen {
  const {
    document,
    locale,
    first,
    actions,
    operator,
    loadOperator,
    readUsage,
    parts,
    drafts,
    look,
    hasToken,
    onToken,
    onSignOut,
    onSignIn,
  } = options;
  const chat = signal(first);
  const page: PageModel = {
    chat,
    isGoing: computed(() => findActiveTurn(chat.value) !== undefined),
    tree: computed(() => chat.value.tree),
    unsent: computed(() => chat.value.unsent),
    locale: signal(locale),
    draft: signal(""),
    drawer: signal(false),
    isFolded: signal(look.read().isFolded),
    theme: signal(look.read().theme),
    help: signal(false),
    isOperating: signal(false),
    operator,
    loadOperator,
    isShowingUsage: signal(false),
    readUsage,
    describeError: (thrown) => describeError(thrown, page.locale.value),
    files: signal([]),
    unreadable: signal([]),
    settings: signal(false),
    tokenAsked: signal<"no" | "first" | "again">("no"),
    tokenProblem: signal(""),
    hasToken: signal(hasToken),
    isOwnerKnown: signal(false),
    actions,
    parts,
    message: { current: null },
    async setToken(token) {
      page.tokenProblem.value = "";
      const result = await onToken(token);
      page.tokenAsked.value = askedAfter[result];
      if (result === "accepted") page.hasToken.value = true;
    },
    signOut: onSignOut,
    prepareSignIn: onSignIn,
  };
  page.locale.subscribe((now) => {
    document.documentElement.lang = now === "zh" ? "zh-CN" : "en";
  });
  effect(() => {
    look.keep({ theme: page.theme.value, isFolded: page.isFolded.value });
    document.documentElement.dataset.theme = page.theme.value;
  });
  const setDraft = (change: (now: Draft) => Draft): void =>
    batch(() => {
      const { text, files } = change({ text: page.draft.peek(), files: page.files.peek() });
      page.draft.value = text;
      page.files.value = files;
    });
  const turnTo = (shown: ChatState): void => setDraft((now) => drafts.turnTo(shown, now));
  turnTo(first);
  effect(() => drafts.write({ text: page.draft.value, files: page.files.value }));
  render(
    <PageContext.Provider value={page}>
      <App />
    </PageContext.Provider>,
    document.body,
  );
  return {
    get locale() {
      return page.locale.value;
    },
    set locale(chosen) {
      page.locale.value = chosen;
    },
    get draft() {
      return page.draft.value;
    },
    set draft(text) {
      page.draft.value = text;
    },
    get files() {
      return page.files.value;
    },
    set files(files) {
      page.files.value = files;
    },
    show(newest) {
      chat.value = newest;
      turnTo(newest);
    },
    openDrafts(owner) {
      page.isOwnerKnown.value = true;
      setDraft((now) => drafts.open(owner, now));
    },
    restoreDrafts: (kept) => setDraft((now) => drafts.restore(kept, now)),
    focus: () => page.message.current?.focus(),
    close() {
      const opened = [page.drawer, page.settings].find(({ value }) => value);
      if (opened === undefined) return false;
      opened.value = false;
      document.querySelector<HTMLElement>(opened === page.drawer ? ".open-drawer" : ".open-settings")?.focus();
      return true;
    },
    handleKey: (event) => handleShortcut(event, page),
    askToken(isWrong) {
      page.tokenAsked.value = isWrong ? "again" : "first";
    },
    explainToken(problem) {
      page.tokenProblem.value = problem;
    },
  };
}

/** Names how a token is asked for after one that was given. */
const askedAfter = { accepted: "no", unknown: "again", refused: "first" } as const;

/** Returns false where the keys stand for nothing. They are named in the list that `help` shows. */
function handleShortcut({ key, code, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent, page: PageModel): boolean {
  if (!(ctrlKey || metaKey) || altKey) return false;
  const name = shiftKey ? `Shift ${code}` : key.toLowerCase();
  if (name === "/") page.help.value = !page.help.value;
  else if (name === "Shift KeyO") page.actions.newChat();
  else if (name === "Shift KeyS") page.isFolded.value = !page.isFolded.value;
  else if (name === "k") {
    page.isFolded.value = false;
    page.drawer.value = isNarrow();
    // What is typed next is searched for, in place of what was. A list that was out of sight takes the focus once Preact has
    // drawn it, which it does in a microtask before this one and so before the next key.
    queueMicrotask(() => {
      const search = document.querySelector<HTMLInputElement>("#search");
      search?.focus();
      search?.select();
    });
  } else return false;
  return true;
}
