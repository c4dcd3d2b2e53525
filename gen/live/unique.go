package live

import "vcp.core/contract/wire"

// unique reports whether all elements of array n differ. Undecided: more elements than the limit.
func unique(r *run, n int) wire.Verdict {
	count := r.t.Count(n)
	switch {
	case count < 2:
		return wire.Valid
	case count > r.opts.Members:
		return wire.Undecided
	}
	r.visits += count
	if a, _ := wire.FindDuplicate(r.t, n, &r.table); a >= 0 {
		return wire.Invalid
	}
	return wire.Valid
}
