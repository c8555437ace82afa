# For those who build with node-gyp: runs the one build there is (CMakeLists.txt), and compiles nothing itself.
{
  "targets": [
    {
      "target_name": "llama_hooks",
      "type": "none",
      "actions": [
        {
          "action_name": "cmake",
          "inputs": ["CMakeLists.txt"],
          "outputs": ["<(PRODUCT_DIR)/llama_hooks.cmake-build"],
          "action": ["node", "scripts/build.mjs"],
          "message": "Building with CMake"
        }
      ]
    }
  ]
}
