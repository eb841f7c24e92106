package checkpoint

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vstream/vstream/condition"
	"github.com/vstream/vstream/objstore"
)

// OperatorMetadata describes a stateful operator (Spark's OperatorStateMetadata, version 1).
type OperatorMetadata struct {
	Operator OperatorInfo `json:"operatorInfo"`
	Stores   []StoreInfo  `json:"stateStoreInfo"`
}

// OperatorInfo names an operator: its position in the plan and Spark's name for its kind.
type OperatorInfo struct {
	ID   int64  `json:"operatorId"`
	Name string `json:"operatorName"` // "stateStoreSave", "dedupe", "symmetricHashJoin", …
}

// StoreInfo describes one of an operator's tables.
type StoreInfo struct {
	Name             string `json:"storeName"`
	NumColsPrefixKey int    `json:"numColsPrefixKey"`
	NumPartitions    int    `json:"numPartitions"`
}

func operatorFile(id int64) string {
	return fmt.Sprintf("%s/%d/_metadata/metadata", stateFolder, id)
}

// WriteOperators writes the metadata of all operators, before the first batch and when
// the number of partitions changes.
func (d *Dir) WriteOperators(ctx context.Context, ops []OperatorMetadata) error {
	for _, op := range ops {
		data, err := versioned(1, op)
		if err != nil {
			return condition.New("INTERNAL_ERROR", "message", err.Error())
		}
		name := operatorFile(op.Operator.ID)
		if err := d.store.Put(ctx, name, data); err != nil {
			return condition.IO(err, "write", d.store.URL(name))
		}
	}
	return nil
}

// Operators reads the metadata of all operators, sorted by id.
func (d *Dir) Operators(ctx context.Context) ([]OperatorMetadata, error) {
	infos, err := d.store.List(ctx, stateFolder+"/")
	if err != nil {
		return nil, condition.IO(err, "list", d.store.URL(stateFolder))
	}
	var ops []OperatorMetadata
	for _, i := range infos {
		folder, _, _ := strings.Cut(strings.TrimPrefix(i.Name, stateFolder+"/"), "/")
		id, err := strconv.ParseInt(folder, 10, 64)
		if err != nil || i.Name != operatorFile(id) {
			continue
		}
		data, err := d.store.Get(ctx, i.Name)
		if err != nil {
			return nil, condition.IO(err, "read", d.store.URL(i.Name))
		}
		op, err := DecodeOperator(d.store.URL(i.Name), data)
		if err != nil {
			return nil, err
		}
		if op.Operator.ID != id {
			return nil, corrupt(d.store.URL(i.Name), fmt.Sprintf("it is of operator %d", op.Operator.ID))
		}
		ops = append(ops, op)
	}
	slices.SortFunc(ops, func(a, b OperatorMetadata) int { return int(a.Operator.ID - b.Operator.ID) })
	return ops, nil
}

// DecodeOperator reads an operator metadata file; errors as in DecodeOffsets.
func DecodeOperator(file string, data []byte) (OperatorMetadata, error) {
	var op OperatorMetadata
	_, lines, err := splitVersion(file, data, maxOperatorVersion)
	if err != nil {
		return op, err
	}
	if len(lines) != 1 {
		return op, corrupt(file, "it must have two lines")
	}
	if err := decodeObject(file, lines[0], &op); err != nil {
		return op, err
	}
	if op.Operator.ID < 0 || op.Operator.Name == "" {
		return op, corrupt(file, "it names no operator")
	}
	for _, s := range op.Stores {
		if s.NumPartitions < 1 {
			return op, corrupt(file, fmt.Sprintf("store %s has %d partitions", s.Name, s.NumPartitions))
		}
	}
	return op, nil
}

// CheckOperators compares the stateful operators of the query with the state directory
// before the batch of r runs; it gives what the checkpoint says about them (nil before the
// first batch). The errors are Spark's:
//
//	STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY                  state, but no batch was ever logged
//	STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY        stateful operators, but no state
//	STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA    other operators than before
func (d *Dir) CheckOperators(ctx context.Context, r *Recovery, ops []OperatorInfo) ([]OperatorMetadata, error) {
	infos, err := d.store.List(ctx, stateFolder+"/")
	if err != nil {
		return nil, condition.IO(err, "list", d.store.URL(stateFolder))
	}
	fresh := r.Offsets == nil
	switch {
	case fresh && len(ops) > 0 && slices.ContainsFunc(infos, isState):
		return nil, condition.New("STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY", "checkpointLocation", d.Location()+"/"+stateFolder)
	case len(infos) == 0 && (r.Batch == 0 || len(ops) == 0), fresh:
		return nil, nil
	case len(infos) == 0:
		return nil, condition.New("STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY", "OpsInCurBatchSeq", operatorList(ops))
	}
	stored, err := d.Operators(ctx)
	if err != nil {
		return nil, err
	}
	before := make([]OperatorInfo, len(stored))
	for i, s := range stored {
		before[i] = s.Operator
	}
	// Batch 0 that ended before it wrote any metadata begins again.
	if r.Batch == 0 && len(before) == 0 {
		return nil, nil
	}
	if !maps.Equal(byID(before), byID(ops)) {
		return nil, condition.New("STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA",
			"OpsInMetadataSeq", operatorList(before), "OpsInCurBatchSeq", operatorList(ops))
	}
	return stored, nil
}

// isState tells files of state from what is written before the first batch runs.
func isState(i objstore.Info) bool {
	return !strings.HasPrefix(i.Name, stateFolder+"/schema/") && !strings.Contains(i.Name, "/_metadata/")
}

func byID(ops []OperatorInfo) map[int64]string {
	m := make(map[int64]string, len(ops))
	for _, o := range ops {
		m[o.ID] = o.Name
	}
	return m
}

// operatorList is how Spark writes operators into its messages.
func operatorList(ops []OperatorInfo) string {
	parts := make([]string, len(ops))
	for i, o := range ops {
		parts[i] = fmt.Sprintf("(OperatorId: %d -> OperatorName: %s)", o.ID, o.Name)
	}
	return strings.Join(parts, ", ")
}
