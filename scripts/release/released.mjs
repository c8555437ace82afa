// The platforms that a release has packages for, in the order in which they are published.
// .github/workflows/release.yml builds these, and test/package/workflows.test.ts compares the two.
export const released = ["linux-x64", "linux-arm64", "linux-x64-musl", "darwin-arm64", "darwin-x64", "win32-x64"];
