// In place of the module that computes, in bundles that go without it: neither code nor bytes.
export default null;
