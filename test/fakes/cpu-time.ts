/** Starts a clock of the processor time that this process uses, in milliseconds: it stands still while other processes run. */
export function startCpuClock(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
