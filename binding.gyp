# `npx node-gyp rebuild` builds the addon through CMake, as `npm run build` does. Installing never runs it ("gypfile": false).
{
  "targets": [
    {
      "target_name": "llama_hooks",
      "type": "none",
      "actions": [
        {
          "action_name": "cmake",
          "inputs": ["CMakeLists.txt"],
          # Never written, so that the action always runs: CMake knows what is up to date.
          "outputs": ["<(INTERMEDIATE_DIR)/always"],
          "action": ["node", "<(module_root_dir)/scripts/build/addon.mjs"]
        }
      ]
    }
  ]
}
