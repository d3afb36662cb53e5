import { useState } from "preact/hooks";
import { sideTexts } from "../../state/chat-texts.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { Dialog } from "../controls/dialog.tsx";
import { Icon } from "../controls/icon.tsx";
import { usePage, useSay } from "../page-model.ts";
import { AgentList } from "./agent-list.tsx";
import { ApprovalList } from "./approval-list.tsx";
import { Loaded } from "./loaded.tsx";
import { LookSettings } from "./look-settings.tsx";
import { ProblemList } from "./problem-list.tsx";
import { PromptList } from "./prompt-list.tsx";
import { RunList } from "./run-list.tsx";
import { ServerList } from "./server-list.tsx";
import { SettingList } from "./setting-list.tsx";
import { ToolList } from "./tool-list.tsx";
import { Usage } from "./usage.tsx";

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
        {tab === "usage" && <Usage />}
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
