// Loaded before anything else, by whatever Node is there: an older one could not even read the next file.
const [major] = process.versions.node.split('.');
if (Number(major) < 24) {
  console.error(
    `This needs Node 24, and ${process.execPath} is Node ${process.versions.node}. On Linux, npm ci installs Node 24 by itself; elsewhere install Node 24 or later from https://nodejs.org and try again.`,
  );
  process.exit(1);
}
