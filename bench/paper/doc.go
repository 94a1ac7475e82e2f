// Command paper repeats the experiments of the paper (Bahdanau, Cho and Bengio, 2014, section 4)
// in miniature: RNNencdec and RNNsearch learn from the short sentences of a corpus and from all,
// and are compared as in Table 1, Table 2, Figure 2 and Figure 3.
//
//	paper run [flags]    train four models, translate, and write the results
//	paper page [flags]   rewrite the tables of README.md from results
//
// run trains with the command rnnsearch, which it builds. What it has begun it goes on with, so
// it may be interrupted and started again.
package main
