import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { sideTexts } from "../../state/chat-texts.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { Dialog } from "../dialog.tsx";
import { Icon } from "../icon.tsx";
import { usePage, useSay } from "../page-model.ts";
import { AgentList } from "./agent-list.tsx";
import { ApprovalList } from "./approval-list.tsx";
import { LookSettings } from "./look-settings.tsx";
import { ProblemList } from "./problem-list.tsx";
import { PromptList } from "./prompt-list.tsx";
import { RunList } from "./run-list.tsx";
import { ServerList } from "./server-list.tsx";
import { SettingList } from "./setting-list.tsx";
import { ToolList } from "./tool-list.tsx";
import { UsagePlot } from "./usage-plot.tsx";

const tabs = [
  ...(["runs", "usage", "problems", "servers", "approvals", "tools"] as const),
  ...(["prompts", "agents", "settings", "look"] as const),
];

/** Shows what the server does for all its callers, and its settings. The server answers the operator alone, on its own machine. */
export function Operator() {
  const { operator, isOperating } = usePage();
  const say = useSay();
  const [tab, setTab] = useState<(typeof tabs)[number]>("runs");
  const close = (): void => {
    isOperating.value = false;
  };
  return (
    <Dialog class="operator" label={say(operatorTexts.title)} onClose={close}>
      <header>
        <h2>{say(operatorTexts.title)}</h2>
        <button type="button" class="plain" aria-label={say(sideTexts.dismiss)} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <nav class="tabs" aria-label={say(operatorTexts.title)}>
        {tabs.map((each) => (
          <button
            key={each}
            type="button"
            aria-current={each === tab ? "true" : undefined}
            onClick={() => setTab(each)}
          >
            {say(operatorTexts[each])}
          </button>
        ))}
      </nav>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by the keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a set of fields would be a part of a form */}
      <div class="operator-body" key={tab} role="group" aria-label={say(operatorTexts[tab])} tabIndex={0}>
        {tab === "runs" && <Loaded load={operator.runs}>{(read) => <RunList runs={read.runs} />}</Loaded>}
        {tab === "usage" && <Loaded load={() => operator.usage(30)}>{(read) => <UsagePlot days={read.days} />}</Loaded>}
        {tab === "problems" && <Loaded load={operator.problems}>{(read) => <ProblemList {...read} />}</Loaded>}
        {tab === "servers" && (
          <Loaded load={operator.servers}>{(read) => <ServerList servers={read.servers} />}</Loaded>
        )}
        {tab === "approvals" && (
          <Loaded load={operator.approvals}>{(read) => <ApprovalList approvals={read.approvals} />}</Loaded>
        )}
        {tab === "tools" && <Loaded load={operator.tools}>{(read) => <ToolList tools={read.tools} />}</Loaded>}
        {tab === "prompts" && <Loaded load={operator.prompts}>{(read) => <PromptList {...read} />}</Loaded>}
        {tab === "agents" && <Loaded load={operator.agents}>{(read) => <AgentList agents={read.agents} />}</Loaded>}
        {tab === "look" && <LookSettings />}
        {tab === "settings" && <Loaded load={operator.settings}>{(read) => <SettingList first={read} />}</Loaded>}
      </div>
    </Dialog>
  );
}

interface LoadedProps<T> {
  load(): Promise<T>;
  children(read: T): ComponentChildren;
}

/** Shows what has been read as soon as it is there, or why it is not. */
function Loaded<T>({ load, children }: LoadedProps<T>) {
  const say = useSay();
  const [read, setRead] = useState<{ readonly value: T } | { readonly problem: string } | undefined>(undefined);
  useEffect(() => {
    load().then(
      (value) => setRead({ value }),
      (thrown: unknown) => setRead({ problem: thrown instanceof Error ? thrown.message : String(thrown) }),
    );
  }, []);
  if (read === undefined) return <p class="hint">{say(operatorTexts.loading)}</p>;
  if ("problem" in read)
    return (
      <p class="problem" role="alert">
        {read.problem}
      </p>
    );
  return <>{children(read.value)}</>;
}
