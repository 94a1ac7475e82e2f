// Package mpi is a collective.Transport of the Message Passing Interface, in a program that is built by
//
//	CC=mpicc go build -tags mpi
//
// and started by mpirun or another launcher. It works with every MPI that has the compiler mpicc, and
// needs of it messages between two ranks alone.
package mpi

import "os"

// launched returns the name of a variable that launchers of MPI set: Open MPI, MPICH and programs
// related to it, and those of PMIx. It is "" if there is none.
func launched() string {
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"} {
		if os.Getenv(name) != "" {
			return name
		}
	}
	return ""
}
