// The package has a native addon, which a bundle cannot contain.
export default { serverExternalPackages: ["llama-hooks"] };
