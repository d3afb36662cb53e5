import { useEffect, useState } from "preact/hooks";
import { sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import { toSafeUrl } from "../../../safe-url.ts";
import type { OperatorLog, OperatorServers } from "../../api/operator.ts";
import { changeTexts, serverStates } from "../../state/operator-change-texts.ts";
import { usePage, useSay } from "../page-model.ts";
import { type Attempt, useAttempt, Word } from "./attempt.tsx";

type Server = OperatorServers["servers"][number];

/** Is how often the view looks whether a person has signed in, in milliseconds. */
const lookMs = 1500;

/** Shows the MCP servers with their states, starts them anew and signs in to them. */
export function ServerList({ servers: first }: OperatorServers) {
  const { operator } = usePage();
  const say = useSay();
  const [servers, setServers] = useState(first);
  const isWaiting = servers.some(({ sign_in }) => sign_in.state === "waiting");
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => {
      operator.servers().then(
        (read) => setServers(read.servers),
        () => {
          // The next look tells.
        },
      );
    }, lookMs);
    return () => clearInterval(timer);
  }, [isWaiting]);
  if (servers.length === 0) return <p class="hint">{say(changeTexts.noServers)}</p>;
  return (
    <ul class="cards">
      {servers.map((server) => (
        <ServerCard key={server.name} server={server} onChange={(read) => setServers(read.servers)} />
      ))}
    </ul>
  );
}

interface CardProps {
  readonly server: Server;
  onChange(read: OperatorServers): void;
}

function ServerCard({ server, onChange }: CardProps) {
  const { operator } = usePage();
  const say = useSay();
  const attempt = useAttempt();
  const [log, setLog] = useState<OperatorLog | undefined>(undefined);
  const { name, transport, state, tools, waiting_tools: waiting, error, problems, warnings } = server;
  const shownName = sanitizeLine(name);
  const stateText = serverStates.get(state);
  return (
    <li class="card" aria-label={shownName}>
      <h3>
        {shownName} <span class="facts">{transport}</span>{" "}
        <span class="badge" data-state={state}>
          {stateText === undefined ? state : say(stateText)}
        </span>
      </h3>
      <p class="facts">
        {tools} {say(tools === 1 ? changeTexts.oneTool : changeTexts.manyTools)}
        {waiting > 0 && ` · ${waiting} ${say(changeTexts.waitForApproval)}`}
      </p>
      {[error, ...problems, ...warnings]
        .filter((text) => text !== null)
        .map((text) => (
          <p key={text} class={text === error ? "problem" : "hint"}>
            {sanitizeLine(text)}
          </p>
        ))}
      <div class="actions">
        <button
          type="button"
          disabled={attempt.isBusy}
          onClick={() => attempt.run(async () => onChange(await operator.restart(name)))}
        >
          {say(changeTexts.reconnect)}
        </button>
        <button
          type="button"
          aria-expanded={log !== undefined}
          onClick={() =>
            log === undefined ? attempt.run(async () => setLog(await operator.serverLog(name))) : setLog(undefined)
          }
        >
          {say(changeTexts.log)}
        </button>
        <SignInButtons server={server} attempt={attempt} onChange={onChange} />
      </div>
      <SignInState server={server} attempt={attempt} onChange={onChange} />
      <Word attempt={attempt} />
      {log !== undefined && <LogLines log={log} label={`${shownName} · ${say(changeTexts.log)}`} />}
    </li>
  );
}

interface SignInProps extends CardProps {
  readonly attempt: Attempt;
}

function SignInButtons({ server: { name, sign_in: signIn }, attempt, onChange }: SignInProps) {
  const { operator } = usePage();
  const say = useSay();
  if (!signIn.possible) return null;
  return (
    <>
      <button
        type="button"
        class={signIn.signed_in ? undefined : "primary"}
        disabled={attempt.isBusy || signIn.state === "waiting"}
        onClick={() => attempt.run(async () => onChange(await operator.signIn(name)))}
      >
        {say(signIn.signed_in ? changeTexts.signInAgain : changeTexts.signIn)}
      </button>
      {signIn.signed_in && (
        <button
          type="button"
          disabled={attempt.isBusy}
          onClick={() => attempt.run(async () => onChange(await operator.signOut(name)))}
        >
          {say(changeTexts.signOut)}
        </button>
      )}
    </>
  );
}

function SignInState({ server: { name, sign_in: signIn }, attempt, onChange }: SignInProps) {
  const { operator } = usePage();
  const say = useSay();
  const [pasted, setPasted] = useState("");
  const address = toSafeUrl(signIn.address ?? "");
  if (signIn.state !== "waiting" || address === undefined)
    return (
      <p class={signIn.state === "failed" ? "problem" : "hint"} role="status">
        {sanitizeLine(signIn.message ?? "")}
      </p>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        attempt.run(async () => onChange(await operator.signIn(name, pasted)));
      }}
    >
      <p role="status">
        <a href={address} target="_blank" rel="noopener noreferrer">
          {say(changeTexts.openSignIn)}
        </a>{" "}
        {say(changeTexts.waiting)}
      </p>
      <label class="field">
        <span>{say(changeTexts.endedAt)}</span>
        <input
          type="text"
          autocomplete="off"
          value={pasted}
          onInput={({ currentTarget }) => setPasted(currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={pasted.trim() === "" || attempt.isBusy}>
        {say(changeTexts.submit)}
      </button>
    </form>
  );
}

function LogLines({ log, label }: { readonly log: OperatorLog; readonly label: string }) {
  const { locale } = usePage();
  const say = useSay();
  if (log.lines.length + log.stderr.length === 0) return <p class="hint">{say(changeTexts.noLog)}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: a set of fields would be a part of a form
    <div class="log" role="group" aria-label={label} tabIndex={0}>
      {log.lines.map(({ at, level, logger, text }, index) => (
        <p key={index}>
          <time dateTime={at}>{new Date(at).toLocaleTimeString(locale.value === "zh" ? "zh-CN" : "en")}</time> {level}{" "}
          {sanitizeLine(logger)}: {sanitizeLine(text)}
        </p>
      ))}
      {log.stderr.length > 0 && <p class="facts">{say(changeTexts.stderr)}</p>}
      {log.stderr.map((text, index) => (
        <p key={index}>{sanitizeLine(text)}</p>
      ))}
    </div>
  );
}
