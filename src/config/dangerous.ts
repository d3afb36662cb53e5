import type { ServerSettings } from "../client/settings.ts";
import type { Text } from "../core/locale.ts";

/** Variables with which a program runs other code than its own, or lets a library do it. */
const dangerous =
  /^(?:NODE_OPTIONS|NODE_PATH|LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_.+|PATH|PATHEXT|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|BASH_ENV|ENV|ZDOTDIR|PROMPT_COMMAND|PERL5OPT|PERL5LIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|DOTNET_STARTUP_HOOKS|GIT_SSH|GIT_SSH_COMMAND|GIT_CONFIG_.+|GIT_EXEC_PATH|GIT_EXTERNAL_DIFF|NPM_CONFIG_.+)$/i;

/** Whether a variable of this name can make a program run code of somebody else. */
export function isDangerousVariable(name: string): boolean {
  return dangerous.test(name);
}

/** A server and the variables it is given that can make it run other code than its own. */
export interface DangerousVariables {
  server: string;
  names: string[];
}

/** They are the user's own words in the user's own file, so they are obeyed, and told. */
export function dangerousVariables(servers: readonly ServerSettings[]): DangerousVariables[] {
  return servers.flatMap(({ name, transport }) => {
    if (transport.type !== "stdio") return [];
    const given = [...Object.keys(transport.env), ...transport.inheritEnv.filter((each) => each !== "PATH")];
    const names = [...new Set(given)].filter(isDangerousVariable);
    return names.length > 0 ? [{ server: name, names }] : [];
  });
}

export function dangerousLine({ server, names }: DangerousVariables): Text {
  const list = names.join(", ");
  return {
    zh: `服务器 ${server} 得到的变量 ${list} 能让它运行别的代码`,
    en: `the server ${server} is given ${list}, which can make it run other code`,
  };
}
