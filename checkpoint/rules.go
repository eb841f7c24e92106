package checkpoint

import "strings"

// Verdict says what becomes of a change at a restart.
type Verdict string

// The verdicts.
const (
	Allowed Verdict = "allowed"   // the query goes on, changed
	Ignored Verdict = "no effect" // the query goes on as it first started
	Refused Verdict = "refused"   // nothing is written, the query does not start
)

// Rule says whether a query may change in one way and go on from its checkpoint.
type Rule struct {
	// Key is that of the facts that it compares. The first rule of a key that applies counts.
	Key     string
	Group   string // heading in the documentation
	Change  string // what changes
	Noun    string // what a message calls it: "folder"
	Verdict Verdict
	// Condition is the error where it is not VSTREAM_RESTART_REFUSED: a condition that
	// Spark has, or one that tells more.
	Condition string
	Why       string // why it is so; a sentence
	Do        string // what the user can do; "" if nothing needs to be done
	// Scenarios of the conformance suite show it.
	Scenarios []string
	// When restricts the rule to certain values; nil: it always applies.
	When func(before, now string) bool
}

const (
	newCheckpoint = "undo the change, or start the changed query with a new checkpoint location"
	undoSource    = newCheckpoint + ", which reads its sources from the beginning"
)

// Rules are all rules about restarts. docs/restart.md is made of them.
var Rules = []Rule{
	{Key: "source.number", Group: "Sources", Noun: "number of streaming sources", Change: "Number of sources without names", Verdict: Refused,
		Why: "Without names, the checkpoint knows sources by their position only.",
		Do:  "restore the sources that the query had, or start it with a new checkpoint location; sources with names (spark.sql.streaming.queryEvolution.enableSourceEvolution) may come and go", Scenarios: []string{"restart/source_added", "restart/source_removed"}},
	{Key: "names.added", Group: "Sources", Noun: "name", Change: "A named source added", Verdict: Allowed,
		Why: "It is read from its beginning.", Scenarios: []string{"source_evolution/add_source", "source_evolution/stateful_add"}},
	{Key: "names.gone", Group: "Sources", Noun: "name", Change: "A named source removed", Verdict: Allowed,
		Why: "It is gone for good: its position is not kept.", Scenarios: []string{"source_evolution/remove_source", "source_evolution/stateful_remove"}},
	{Key: "names.removed", Group: "Sources", Noun: "name", Change: "A source under the name of one that was removed", Verdict: Refused,
		Why: "It would go on from where the removed source was, and skip what came before.",
		Do:  "give the source another name, so that it starts from its beginning; or stop the query and run `vstream checkpoint source CHECKPOINT NAME --readmit` or `--reset`", Scenarios: []string{"source_evolution/remove_then_add_back"}},
	{Key: "names.renamed", Group: "Sources", Noun: "name", Change: "A named source under another name", Verdict: Allowed,
		Why: "It counts as a source removed and another one added: the new one is read from its beginning.", Scenarios: []string{"source_evolution/replace_source", "source_evolution/rename", "source_evolution/rename_stateful", "source_evolution/name_case"}},
	{Key: "names.order", Group: "Sources", Noun: "order", Change: "Order of named sources", Verdict: Allowed,
		Why: "The checkpoint knows them by name.", Scenarios: []string{"source_evolution/reorder", "source_evolution/join_reorder"}},
	{Key: "names.on", Group: "Sources", Noun: "source evolution", Change: "Source evolution turned on", Verdict: Refused, Condition: "STREAMING_QUERY_EVOLUTION_ERROR",
		Why: "The checkpoint's logs know the sources by position.",
		Do:  "turn it off again, or stop the query and run `vstream checkpoint source CHECKPOINT --names a,b`, which gives the sources their names", Scenarios: []string{"source_evolution/v1_checkpoint_then_enable"}},
	{Key: "names.off", Group: "Sources", Noun: "source evolution", Change: "Source evolution turned off", Verdict: Refused,
		Why: "The checkpoint's logs know the sources by name, and there is no way back.",
		Do:  "turn spark.sql.streaming.queryEvolution.enableSourceEvolution on again and name the sources as before, or start with a new checkpoint location", Scenarios: []string{"source_evolution/v2_evolution_off", "source_evolution/v2_then_back_to_v1"}},
	{Key: "source.kind", Group: "Sources", Noun: "kind", Change: "Kind of a source", Verdict: Refused,
		Why: "The offsets in the checkpoint mean nothing to another kind of source.", Do: undoSource, Scenarios: []string{"restart/source_kind_changed"}},
	{Key: "source.format", Group: "Sources", Noun: "format", Change: "Format of a file source", Verdict: Allowed,
		Why: "Files that come from now on are read in the new format, as are those of a batch that has to be run again.", Scenarios: []string{"restart/source_format_changed"}},
	{Key: "source.path", Group: "Sources", Noun: "path", Change: "Path of a file source, to a folder above", Verdict: Allowed, When: widened,
		Why: "The files that were read are known by their paths and stay known.", Scenarios: []string{"restart/source_path_widened"}},
	{Key: "source.path", Group: "Sources", Noun: "path", Change: "Path of a file source, elsewhere", Verdict: Refused, Condition: "VSTREAM_SOURCE_PATH_CHANGED",
		Why: "A batch that has to be run again would not find its files, and files of the same name would count as read.", Do: undoSource,
		Scenarios: []string{"restart/sources_swapped", "source_evolution/swap_names", "restart/source_path_changed"}},
	{Key: "source.subscription", Group: "Sources", Noun: "subscription", Change: "Topics, streams or tables that a source reads", Verdict: Refused,
		Why: "The offsets in the checkpoint are of the ones before: some data would be skipped or read twice.", Do: undoSource},
	{Key: "source.limits", Group: "Sources", Noun: "rate limits", Change: "Rate limits of a source (maxFilesPerTrigger, maxBytesPerTrigger, maxOffsetsPerTrigger, …)", Verdict: Allowed,
		Why: "They take effect with the next batch that is planned.", Scenarios: []string{"restart/source_limit_changed"}},
	{Key: "source.options", Group: "Sources", Noun: "options", Change: "Other options of a source", Verdict: Allowed,
		Why: "They take effect on what is read from now on, a batch that has to be run again included.", Scenarios: []string{"restart/source_option_changed"}},
	{Key: "source.columns", Group: "Sources", Noun: "schema", Change: "Schema of a source", Verdict: Allowed,
		Why: "What is read from now on has the new columns; the state must not depend on the change.", Scenarios: []string{"restart/source_schema_column_added", "restart/source_type_changed"}},

	{Key: "query.filters", Group: "Query", Noun: "filters", Change: "Filters added, removed or changed", Verdict: Allowed,
		Why: "They apply to the rows from now on; state and output so far stay.", Scenarios: []string{"restart/filter_added", "restart/filter_removed", "restart/having_added", "crash/filter_changed_at_replay"}},
	{Key: "query.projection", Group: "Query", Noun: "projection", Change: "Projection with the same output schema", Verdict: Allowed,
		Why: "It applies to the rows from now on.", Scenarios: []string{"restart/projection_same_schema"}},
	{Key: "query.columns", Group: "Query", Noun: "output schema", Change: "Projection with another output schema", Verdict: Allowed,
		Why: "It is up to the sink: file sinks keep files of both schemas, and readers see the columns that they ask for.", Scenarios: []string{"restart/projection_new_schema", "sinks/file_schema_change", "restart/sink_file_schema_type"}},
	{Key: "query.watermarks", Group: "Query", Noun: "watermarks", Change: "Watermark delays", Verdict: Allowed,
		Why: "The watermark never goes back: a longer delay holds it until events are later.", Scenarios: []string{"watermark/restart_delay_longer", "restart/watermark_delay_shorter", "restart/join_watermark_delay"}},
	{Key: "query.mode", Group: "Query", Noun: "output mode", Change: "Output mode", Verdict: Allowed,
		Why: "The state is the same in all modes; the output from now on follows the new one.", Scenarios: []string{"restart/output_mode_append_to_update", "restart/output_mode_update_to_complete", "restart/output_mode_complete_to_update", "restart/output_mode_update_to_append"}},
	{Key: "query.trigger", Group: "Query", Noun: "trigger", Change: "Trigger", Verdict: Allowed,
		Why: "It only says when batches run.", Scenarios: []string{"restart/trigger_to_available_now", "restart/trigger_from_available_now", "restart/trigger_to_once", "restart/trigger_once_to_processing"}},
	{Key: "query.async", Group: "Query", Noun: "asynchronous progress tracking", Change: "Asynchronous progress tracking on, off, or with another interval", Verdict: Allowed,
		Why: "After an orderly stop the logs are complete; where they have a gap, turning it off gives VSTREAM_CHECKPOINT_INCONSISTENT.", Scenarios: []string{"async_progress/disable_with_procedure", "async_progress/disable_without_procedure", "async_progress/switched_on", "async_progress/interval_changed", "async_progress/gap_in_offset_log"}},

	{Key: "sink.kind", Group: "Sink", Noun: "sink", Change: "Another sink becomes a file sink", Verdict: Refused, When: func(_, now string) bool { return now == "FileSink" },
		Why: "The folder would lack the batches before, and Spark could not read it.", Do: newCheckpoint, Scenarios: []string{"restart/sink_type_changed", "restart/sink_file_to_noop"}},
	{Key: "sink.kind", Group: "Sink", Noun: "sink", Change: "A sink of another kind: a file sink becomes Kafka, Kafka becomes foreach, and back", Verdict: Allowed,
		Why: "The new sink sees the batches from now on. There is no way back to a file sink.", Scenarios: []string{"restart/sink_file_to_capture", "restart/sink_memory_to_capture"}},
	{Key: "sink.volatile", Group: "Sink", Noun: "rows of the memory sink", Change: "A memory sink, changed or not, in append or update mode", Verdict: Refused, Condition: "_LEGACY_ERROR_TEMP_1299",
		Why: "Its rows ended with the process. In complete mode they all come again.", Do: "use another sink or complete mode, or start with a new checkpoint location",
		Scenarios: []string{"restart/sink_file_to_memory", "sinks/memory_restart_append", "sinks/memory_restart_update"}},
	{Key: "sink.folder", Group: "Sink", Noun: "folder", Change: "Folder of a file sink", Verdict: Refused,
		Why: "The new folder would lack the batches before, and Spark could not read it.", Do: newCheckpoint, Scenarios: []string{"restart/sink_path_changed"}},
	{Key: "sink.format", Group: "Sink", Noun: "format", Change: "Format of a file sink", Verdict: Refused,
		Why: "A folder with files of two formats cannot be read.", Do: newCheckpoint + " and another folder", Scenarios: []string{"restart/sink_format_changed"}},
	{Key: "sink.partitioning", Group: "Sink", Noun: "partition columns", Change: "Partition columns of a file sink", Verdict: Refused,
		Why: "A folder with files of two layouts cannot be read.", Do: newCheckpoint + " and another folder", Scenarios: []string{"restart/sink_partitioning_changed"}},
	{Key: "sink.target", Group: "Sink", Noun: "target", Change: "Topic or table of a sink", Verdict: Allowed,
		Why: "The new one sees the batches from now on."},
	{Key: "sink.function", Group: "Sink", Noun: "function", Change: "What a foreach sink does", Verdict: Allowed,
		Why: "It sees the batches from now on; what it made of those before is its own affair."},
	{Key: "sink.options", Group: "Sink", Noun: "options", Change: "Other options of a sink", Verdict: Allowed,
		Why: "They take effect with the next batch.", Scenarios: []string{"restart/sink_file_options"}},
	{Key: "late.sink", Group: "Sink", Noun: "late sink", Change: "A late sink added, removed or in another place", Verdict: Allowed,
		Why: "It holds the rows that come too late from now on. A folder that holds batches of another query is refused."},

	{Key: "state.operators", Group: "State", Noun: "stateful operators", Change: "A stateful operator added, removed or replaced", Verdict: Refused, Condition: "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA",
		Why: "State is kept by the operator's position and kind.", Do: newCheckpoint, Scenarios: []string{"restart/second_operator_added", "restart/dedup_within_toggle", "restart/agg_to_stateless", "restart/stateless_to_agg", "restart/dedup_removed", "restart/join_to_union", "restart/window_to_session"}},
	{Key: "state.keys", Group: "State", Noun: "keys", Change: "Keys of a grouping, a window or a deduplication", Verdict: Refused,
		Why: "The state so far is by the old keys: groups would be split in two.", Do: newCheckpoint, Scenarios: []string{"restart/window_size_changed", "restart/window_slide_added", "restart/keys_swapped", "restart/group_key_other_column", "restart/dedup_key_other_column"}},
	{Key: "state.keys.types", Group: "State", Noun: "key types", Change: "Number or types of keys", Verdict: Refused, Condition: "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE",
		Why: "The state so far has other keys.", Do: newCheckpoint, Scenarios: []string{"restart/key_removed", "restart/key_int_to_bigint", "restart/dedup_key_added", "restart/dedup_key_changed_type", "restart/dedup_key_removed", "restart/join_key_changed", "restart/join_key_added"}},
	{Key: "state.aggregates", Group: "State", Noun: "aggregates", Change: "Aggregates: number, functions, argument types", Verdict: Refused,
		Why: "The state so far would be taken for that of other aggregates.", Do: newCheckpoint, Scenarios: []string{"restart/agg_changed_same_type", "restart/agg_order_swapped", "restart/agg_projection_kept"}},
	{Key: "state.arguments", Group: "State", Noun: "arguments", Change: "Arguments of aggregates, of the same type, and their FILTER", Verdict: Allowed,
		Why: "They apply to the rows from now on.", Scenarios: []string{"restart/agg_argument_changed", "restart/agg_filter_added"}},
	{Key: "state.values.types", Group: "State", Noun: "state columns", Change: "Number or types of what an operator keeps: aggregates, columns of joined rows", Verdict: Refused, Condition: "STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE",
		Why: "The state so far has other columns.", Do: newCheckpoint, Scenarios: []string{"restart/agg_added", "restart/agg_removed", "restart/agg_type_changed", "restart/agg_to_dedup", "restart/join_column_added", "restart/output_projection_after_agg"}},
	{Key: "state.watermark.added", Group: "State", Noun: "watermarks", Change: "Watermark added", Verdict: Allowed,
		Why: "It starts in 1970; rows leave the state by it from now on.", Scenarios: []string{"restart/watermark_added"}},
	{Key: "state.watermark.removed", Group: "State", Noun: "watermarks", Change: "Watermark taken away from the column by which rows leave the state", Verdict: Refused, Condition: "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE",
		Why: "Rows that left the state would be back.", Do: "put the watermark back, or start with a new checkpoint location", Scenarios: []string{"restart/watermark_removed"}},
	{Key: "state.names", Group: "State", Noun: "names", Change: "Names of keys, aggregates and columns", Verdict: Allowed,
		Why: "State is by position; names do not matter.", Scenarios: []string{"restart/key_renamed", "restart/agg_renamed"}},
	{Key: "state.kind", Group: "State", Noun: "kind", Change: "Type of a join of streams (inner, outer, semi)", Verdict: Refused,
		Why: "Rows in the state were matched, or not, by the rules of the old type.", Do: newCheckpoint, Scenarios: []string{"restart/join_type_changed", "restart/join_type_left_to_inner", "restart/join_outer_to_full"}},
	{Key: "state.equality", Group: "State", Noun: "equality columns", Change: "Equality columns of a join of streams", Verdict: Refused,
		Why: "Rows in the state are kept by the old columns and would not be found.", Do: newCheckpoint, Scenarios: []string{"restart/join_key_other_column"}},
	{Key: "state.condition", Group: "State", Noun: "condition", Change: "Other conditions of a join of streams, its time range included", Verdict: Allowed,
		Why: "Rows that have left the state do not come back.", Scenarios: []string{"restart/join_range_changed", "restart/join_filter_added"}},
	{Key: "state.limit", Group: "State", Noun: "limit", Change: "LIMIT", Verdict: Allowed,
		Why: "The rows that were emitted count.", Scenarios: []string{"restart/limit_raised", "restart/limit_lowered"}},
	{Key: "state.gap", Group: "State", Noun: "session gap", Change: "Gap of a session window", Verdict: Allowed,
		Why: "Sessions in the state keep their ends; rows from now on have the new gap.", Scenarios: []string{"session/restart_gap_changed"}},
	{Key: "state.missing", Group: "State", Noun: "state", Change: "State deleted, logs left", Verdict: Refused, Condition: "STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY",
		Why: "The state cannot be made up for.", Do: "restore the directory, or start with a new checkpoint location", Scenarios: []string{"restart/state_deleted"}},
	{Key: "state.left", Group: "State", Noun: "state", Change: "Logs deleted, state left", Verdict: Refused, Condition: "STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY",
		Why: "The old state would be mixed with that of a new query.", Do: "restore the logs, or start with a new checkpoint location", Scenarios: []string{"restart/offsets_and_commits_deleted"}},

	{Key: "conf.fixed", Group: "Configuration", Noun: "setting", Change: "What the first start fixes: `spark.sql.shuffle.partitions`, `spark.sql.streaming.stateStore.providerClass`, `spark.sql.streaming.multipleWatermarkPolicy`, `spark.sql.streaming.aggregation.stateFormatVersion`, `spark.sql.streaming.join.stateFormatVersion`, `spark.sql.streaming.offsetLog.formatVersion`", Verdict: Ignored,
		Why: "The state and the logs were made with the old value.", Scenarios: []string{"restart/shuffle_partitions", "restart/shuffle_partitions_stateless", "repartition/offline_then_shuffle_partitions", "restart/provider_changed", "restart/conf_state_format", "watermark/policy_changed_on_restart", "source_evolution/enabled_v1_log", "source_evolution/v1_then_v2_log_only"}},
	{Key: "conf.partitions", Group: "Configuration", Noun: "setting", Change: "`spark.sql.streaming.stateStore.partitions`", Verdict: Allowed,
		Why: "The state moves to the new number of partitions before the next batch.", Scenarios: []string{"repartition/conf_up", "repartition/conf_down"}},
	{Key: "conf.free", Group: "Configuration", Noun: "setting", Change: "All other settings", Verdict: Allowed,
		Why: "They take effect with the next batch.", Scenarios: []string{"restart/conf_ansi", "restart/conf_time_zone", "restart/conf_no_data_batches"}},

	{Key: "checkpoint.metadata", Group: "Checkpoint", Noun: "metadata", Change: "Metadata deleted, logs left", Verdict: Refused, Condition: "STREAMING_CHECKPOINT_MISSING_METADATA_FILE",
		Why: "The query's id is lost, by which sinks know it.", Do: "restore the file, or start with a new checkpoint location", Scenarios: []string{"restart/metadata_deleted"}},
	{Key: "checkpoint.offsets", Group: "Checkpoint", Noun: "offset log", Change: "Offset log cut before the commit log", Verdict: Refused, Condition: "CONCURRENT_STREAM_LOG_UPDATE",
		Why: "Batches were committed of which nobody knows the offsets.", Do: "restore the files, or start with a new checkpoint location", Scenarios: []string{"restart/last_offset_deleted"}},
	{Key: "checkpoint.logs", Group: "Checkpoint", Noun: "logs", Change: "Offset log deleted, or without the entry before the newest", Verdict: Refused, Condition: "VSTREAM_CHECKPOINT_INCONSISTENT",
		Why: "Where the next batch begins is not known.", Do: "restore the files, or start with a new checkpoint location", Scenarios: []string{"restart/offsets_deleted", "async_progress/gap_in_offset_log", "async_progress/missing_previous_offset"}},
	{Key: "checkpoint.commits", Group: "Checkpoint", Noun: "commit log", Change: "Commits deleted", Verdict: Allowed,
		Why: "The last batch is run again.", Scenarios: []string{"restart/commits_deleted", "restart/last_offset_and_commit_deleted"}},
	{Key: "checkpoint.other", Group: "Checkpoint", Noun: "checkpoint", Change: "Checkpoint of another query", Verdict: Refused, Condition: "VSTREAM_CHECKPOINT_OF_ANOTHER_QUERY",
		Why: "Its positions and state are of that query.", Do: "give the query its own checkpoint location"},
	{Key: "checkpoint.new", Group: "Checkpoint", Noun: "checkpoint", Change: "A new checkpoint location, or the old one deleted", Verdict: Allowed,
		Why: "The query starts from the beginning of its sources. A file sink needs a new folder, too.", Scenarios: []string{"restart/new_checkpoint", "restart/checkpoint_deleted"}},
}

// widened tells whether the new path holds all files of the old one.
func widened(before, now string) bool {
	return strings.HasPrefix(before, strings.TrimSuffix(now, "/")+"/")
}
