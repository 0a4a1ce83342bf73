// One start of a function, as Lambda would do it: loads the bundle, sends one request, and prints milliseconds and what was
// loaded. With a number of warm requests it sends these afterwards, and prints the processor time of one in microseconds.
const [bundle, eventText, warm = '0'] = process.argv.slice(2);
const event = JSON.parse(eventText);

const main = async () => {
  const builtIns = process.moduleLoadList.length;
  const start = performance.now();
  const { handler } = require(bundle);
  const imported = performance.now();
  const modules = process.moduleLoadList.length - builtIns;
  const { statusCode, body } = await handler(event, {});
  const responded = performance.now();
  if (statusCode !== 200) throw new Error(`${statusCode}: ${body}`);
  const before = process.cpuUsage();
  for (let sent = 0; sent < Number(warm); sent++) await handler(event, {});
  const { user, system } = process.cpuUsage(before);
  const figures = { imported: imported - start, responded: responded - start, modules };
  const warmMicroseconds = Number(warm) > 0 ? (user + system) / Number(warm) : undefined;
  process.stderr.write(`\n${JSON.stringify({ ...figures, warmMicroseconds })}`);
  process.exit();
};

main();
