import { type SignInInterface, signIn } from "../../app/sign-in.ts";
import type { Config } from "../../config/config.ts";
import { DuetError, getMessage } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";

/** Says how a sign-in to a server stands. */
export type SignInState =
  | { state: "waiting"; address: string }
  | { state: "done"; text: Text }
  | { state: "failed"; text: Text };

export interface ServerSignIns {
  /** Begins to sign in, or joins the sign-in that waits. Resolves when the person can go somewhere, or when it is over. */
  begin(name: string): Promise<SignInState>;
  /** Takes the address at which the browser ended, for a browser on another machine. Returns false where no sign-in waits. */
  paste(name: string, address: string): boolean;
  find(name: string): SignInState | undefined;
  /** Drops what is known of a sign-in that is over. */
  forget(name: string): void;
}

interface GoingSignIn {
  begun: Promise<SignInState>;
  pasted: PromiseWithResolvers<string | undefined>;
}

/** `onDone` runs after each sign-in. All of them end with the signal. */
export function createServerSignIns(
  config: Config,
  { signal, onDone }: { signal: AbortSignal; onDone(name: string): Promise<unknown> },
): ServerSignIns {
  const states = new Map<string, SignInState>();
  const going = new Map<string, GoingSignIn>();

  function start(name: string): GoingSignIn {
    const address = Promise.withResolvers<SignInState>();
    const work: GoingSignIn = { begun: address.promise, pasted: Promise.withResolvers() };
    const show: SignInInterface = {
      visit(url) {
        const waiting: SignInState = { state: "waiting", address: url.href };
        states.set(name, waiting);
        address.resolve(waiting);
      },
      async paste() {
        const line = await work.pasted.promise;
        work.pasted = Promise.withResolvers();
        return line;
      },
      misread() {},
      signal,
    };
    const over = finish(name, show).then((state) => {
      going.delete(name);
      states.set(name, state);
      return state;
    });
    work.begun = Promise.race([address.promise, over]);
    return work;
  }

  /** Never rejects. */
  async function finish(name: string, show: SignInInterface): Promise<SignInState> {
    try {
      const { toolCount, hasSignedIn } = await signIn(config, name, show);
      await onDone(name);
      return { state: "done", text: describeDone(toolCount, hasSignedIn) };
    } catch (thrown) {
      const message = getMessage(thrown);
      return { state: "failed", text: thrown instanceof DuetError ? thrown.text : { zh: message, en: message } };
    }
  }

  return {
    begin(name) {
      const known = going.get(name) ?? start(name);
      going.set(name, known);
      return known.begun;
    },
    paste(name, address) {
      const work = going.get(name);
      work?.pasted.resolve(address);
      return work !== undefined;
    },
    find: (name) => states.get(name),
    forget(name) {
      if (!going.has(name)) states.delete(name);
    },
  };
}

function describeDone(count: number, hasSignedIn: boolean): Text {
  const tools = `${count} ${count === 1 ? "tool" : "tools"}`;
  return hasSignedIn
    ? { zh: `已登录：${count} 个工具`, en: `signed in: ${tools}` }
    : { zh: `不需要重新登录：${count} 个工具`, en: `needs no new sign-in: ${tools}` };
}
