// Generated from native/contract/errors.json by scripts/generate-contract.mjs; do not edit.
#include "base/code.h"

namespace lh {

const char* code_name(Code code) {
  switch (code) {
    case Code::kOk: return "OK";
    case Code::kInvalidArgument: return "INVALID_ARGUMENT";
    case Code::kNotFound: return "NOT_FOUND";
    case Code::kClosed: return "CLOSED";
    case Code::kCancelled: return "CANCELLED";
    case Code::kReentrant: return "REENTRANT";
    case Code::kInternal: return "INTERNAL";
    case Code::kBusy: return "BUSY";
    case Code::kNoThread: return "NO_THREAD";
    case Code::kStuck: return "STUCK";
    case Code::kModelFileNotFound: return "MODEL_FILE_NOT_FOUND";
    case Code::kModelFileInvalid: return "MODEL_FILE_INVALID";
    case Code::kUnsupportedArchitecture: return "UNSUPPORTED_ARCHITECTURE";
    case Code::kModelLoadFailed: return "MODEL_LOAD_FAILED";
    case Code::kInsufficientMemory: return "INSUFFICIENT_MEMORY";
    case Code::kModelNotLoaded: return "MODEL_NOT_LOADED";
    case Code::kModelInUse: return "MODEL_IN_USE";
    case Code::kAdapterIncompatible: return "ADAPTER_INCOMPATIBLE";
    case Code::kAdapterInUse: return "ADAPTER_IN_USE";
    case Code::kPromptTooLong: return "PROMPT_TOO_LONG";
    case Code::kInvalidGrammar: return "INVALID_GRAMMAR";
    case Code::kInvalidSchema: return "INVALID_SCHEMA";
    case Code::kInvalidMessages: return "INVALID_MESSAGES";
    case Code::kTemplateFailed: return "TEMPLATE_FAILED";
    case Code::kDecodeFailed: return "DECODE_FAILED";
    case Code::kToolsUnsupported: return "TOOLS_UNSUPPORTED";
    case Code::kOutputTooDeep: return "OUTPUT_TOO_DEEP";
    case Code::kUnsupportedByModel: return "UNSUPPORTED_BY_MODEL";
    case Code::kTextTooLong: return "TEXT_TOO_LONG";
    case Code::kRemoteUnreachable: return "REMOTE_UNREACHABLE";
    case Code::kRemoteRefused: return "REMOTE_REFUSED";
    case Code::kRemoteFailed: return "REMOTE_FAILED";
    case Code::kRemoteTimeout: return "REMOTE_TIMEOUT";
    case Code::kEngineCrashed: return "ENGINE_CRASHED";
    case Code::kOutputUnparsed: return "OUTPUT_UNPARSED";
    case Code::kHookCancelled: return "HOOK_CANCELLED";
    case Code::kHookFailed: return "HOOK_FAILED";
    case Code::kHookTimeout: return "HOOK_TIMEOUT";
    case Code::kHookBadAnswer: return "HOOK_BAD_ANSWER";
    case Code::kUnknownHookPoint: return "UNKNOWN_HOOK_POINT";
    case Code::kLibraryNotLoaded: return "LIBRARY_NOT_LOADED";
    case Code::kSymbolNotFound: return "SYMBOL_NOT_FOUND";
    case Code::kRetryLimit: return "RETRY_LIMIT";
    case Code::kPointNotFired: return "POINT_NOT_FIRED";
    case Code::kBackendUnavailable: return "BACKEND_UNAVAILABLE";
    case Code::kVersionMismatch: return "VERSION_MISMATCH";
    case Code::kSessionBusy: return "SESSION_BUSY";
    case Code::kToolFailed: return "TOOL_FAILED";
    case Code::kToolTimeout: return "TOOL_TIMEOUT";
    case Code::kInjectionOverflow: return "INJECTION_OVERFLOW";
    case Code::kInvalidDirective: return "INVALID_DIRECTIVE";
    case Code::kDelegationFailed: return "DELEGATION_FAILED";
    case Code::kSessionFileInvalid: return "SESSION_FILE_INVALID";
    case Code::kEmptyAnswer: return "EMPTY_ANSWER";
  }
  return "UNKNOWN";  // a number from the other side of the ABI
}

}  // namespace lh
