// Package resource publishes what plugins bring: the drafts of a payload go in, canonical descriptors come
// out, and references follow to the new ids.
//
// Data flow, in this order:
//
//	judged payload -> [Read]: ids, references, media in data -> [Plan]
//	     -> the payload's data as it will be, for the output schema ([Plan.Data])
//	     -> [Plan.Publish]: each draft opened below the plugin's own folder, measured, hashed, sniffed, stored
//	     -> the payload's bytes with ids and descriptors in them
//
// Bytes decide: the media type, the size, the hash and the dimensions of an image come from them, and a
// plugin's word counts only where bytes are silent (specification §7.5). References are rewritten in the bytes
// of the payload; nothing else of it changes.
//
// The package never fetches a URL, decodes an image beyond its header, follows a path out of the plugin's
// folder, or tells anybody a local path: not in a descriptor, not in a message. It keeps no bytes itself; a
// [Store] does.
package resource
