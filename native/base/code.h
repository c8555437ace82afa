// The stable codes of hooks.h (LH_ERR_*). Generated from native/contract/errors.json by scripts/generate-contract.mjs; do not edit.
#pragma once

namespace lh {

enum class Code : int {
  kOk = 0,
  kInvalidArgument = 1,
  kNotFound = 2,
  kClosed = 3,
  kCancelled = 4,
  kReentrant = 5,
  kInternal = 6,
  kBusy = 7,
  kNoThread = 8,
  kStuck = 9,
  kModelFileNotFound = 20,
  kModelFileInvalid = 21,
  kUnsupportedArchitecture = 22,
  kModelLoadFailed = 23,
  kInsufficientMemory = 24,
  kModelNotLoaded = 25,
  kModelInUse = 26,
  kAdapterIncompatible = 27,
  kAdapterInUse = 28,
  kPromptTooLong = 40,
  kInvalidGrammar = 41,
  kInvalidSchema = 42,
  kInvalidMessages = 43,
  kTemplateFailed = 44,
  kDecodeFailed = 45,
  kToolsUnsupported = 46,
  kOutputTooDeep = 47,
  kUnsupportedByModel = 48,
  kTextTooLong = 49,
  kRemoteUnreachable = 50,
  kRemoteRefused = 51,
  kRemoteFailed = 52,
  kRemoteTimeout = 53,
  kHookCancelled = 60,
  kHookFailed = 61,
  kHookTimeout = 62,
  kHookBadAnswer = 63,
  kUnknownHookPoint = 64,
  kLibraryNotLoaded = 65,
  kSymbolNotFound = 66,
  kRetryLimit = 67,
  kPointNotFired = 68,
  kBackendUnavailable = 80,
  kVersionMismatch = 81,
  kSessionBusy = 100,
  kToolFailed = 101,
  kToolTimeout = 102,
  kInjectionOverflow = 103,
  kInvalidDirective = 104,
  kDelegationFailed = 105,
  kSessionFileInvalid = 106,
  kEmptyAnswer = 107,
};

// The stable upper-case name of a code ("MODEL_FILE_NOT_FOUND"), as users see it.
const char* code_name(Code code);

}  // namespace lh
