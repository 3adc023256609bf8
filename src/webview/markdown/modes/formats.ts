/** Formats of files, each too small for a script of its own. */
export { cmake } from '@codemirror/legacy-modes/mode/cmake';
export { diff } from '@codemirror/legacy-modes/mode/diff';
export { dockerFile } from '@codemirror/legacy-modes/mode/dockerfile';
export { nginx } from '@codemirror/legacy-modes/mode/nginx';
export { properties } from '@codemirror/legacy-modes/mode/properties';
export { protobuf } from '@codemirror/legacy-modes/mode/protobuf';
export { toml } from '@codemirror/legacy-modes/mode/toml';
export { yaml } from '@codemirror/legacy-modes/mode/yaml';
